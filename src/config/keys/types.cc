// Scales, and types of 16 bits.
#include "config/keys/key_setters.h"
#include "config/keys/key_spec.h"

namespace preon {
namespace {

constexpr KeySpec kTypesKeys[] = {
    {.name = "ActivationScaled",
     .type = KeyType::kFlag,
     .fallback = "false",
     .meaning = "scale float-like activations into a reduced range",
     .here = "--activation-scaled",
     .set = [](Options& o, const KeyValue& v) { return SetIfOn(o, v, "activation-scaled"); }},
    {.name = "Int16Scale",
     .type = KeyType::kFlag,
     .fallback = "false",
     .meaning = "scales of the form M/2^N",
     .here = "--scale-type int16",
     .set = [](Options& o, const KeyValue& v) { return SetIfOn(o, v, "scale-type", "int16"); }},
    {.name = "QuantizeFP16",
     .type = KeyType::kFlag,
     .fallback = "false",
     .meaning = "quantize an FP16 model as it is",
     .otherwise = "true when a pure FP16 model is found and ConvertFP16ToFP32 is false",
     .here = "true: --float16 keep-io, false: --float16 off; default: depends on the model",
     .set =
         [](Options& o, const KeyValue& v) {  // ConvertFP16ToFP32 comes first, and leaves nothing to this one
           return o.prepare.float16 ? Status::Ok() : SetOption(o, "float16", v.on ? "keep-io" : "off");
         }},
    {.name = "UseFP32Scale",
     .type = KeyType::kFlag,
     .fallback = "false",
     .meaning = "turn FP16 scales into FP32 afterwards",
     .otherwise = "equals QuantizeFP16",
     .here = "true: no effect, scales are float32; false: a float16 model computes in float16, with scales in float16",
     .set =
         [](Options& o, const KeyValue& v) {
           o.prepare.float32_scales = v.on;
           return Status::Ok();
         }},
    {.name = "UseUnsignedReLU",
     .type = KeyType::kFlag,
     .fallback = "false",
     .meaning = "asymmetric output of Relu and Clip(0,..) (stored by one class, used by none in 0.13)",
     .here = "targets quark, ort and simulate: codes of a Relu's output start at 0",
     .set = SetFlag<&OpListOptions::pairs, &PairOptions::unsigned_relu>},
    {.name = "WeightBlockSize",
     .type = KeyType::kInteger,
     .fallback = "null",
     .meaning = "with QuantGranularity.Group: weights that share a scale",
     .range = "1..",
     .ours = true,
     .here = "--block-size",
     .set = [](Options& o, const KeyValue& v) { return SetOption(o, "block-size", v.text); }},
    {.name = "WeightScaled",
     .type = KeyType::kFlag,
     .fallback = "false",
     .meaning = "scale float-like weights into a reduced range",
     .here = "--weight-scaled",
     .set = [](Options& o, const KeyValue& v) { return SetIfOn(o, v, "weight-scaled"); }},
};

}  // namespace

std::span<const KeySpec> TypesKeys() { return kTypesKeys; }

}  // namespace preon
