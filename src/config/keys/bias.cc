// What becomes of biases.
#include "config/keys/key_setters.h"
#include "config/keys/key_spec.h"

namespace preon {
namespace {

constexpr KeySpec kBiasKeys[] = {
    {.name = "AdjustBiasScale",
     .type = KeyType::kFlag,
     .fallback = "true",
     .meaning = "Extended only: repair bias scales after alignment",
     .here = "always: codes of biases are computed with the final scales",
     .set =
         [](Options& o, const KeyValue& v) {
           if (!v.on)
             o.given.warnings.push_back(
                 "AdjustBiasScale=false: has no effect: codes of biases are computed with the final scales");
           return Status::Ok();
         }},
    {.name = "AdjustWeightScaleForInt32Bias",
     .type = KeyType::kFlag,
     .fallback = "false",
     .meaning = "enlarge a weight scale so that its INT32 bias does not overflow",
     .default_here = "true; with --compat quark false",
     .here = "targets quark, ort and simulate: false: biases that do not fit saturate; by default weight scales are "
             "enlarged",
     .set = SetFlag<&OpListOptions::bias, &BiasOptions::protect>},
    {.name = "Int16Bias",
     .type = KeyType::kFlag,
     .fallback = "false",
     .meaning = "INT32 bias narrowed to INT16 afterwards (implies Int32Bias)",
     .here = "targets quark, ort and simulate: int32 codes saturated to 16 bits",
     .set = SetFlag<&OpListOptions::bias, &BiasOptions::int16>},
    {.name = "Int32Bias",
     .type = KeyType::kFlag,
     .fallback = "true",
     .meaning = "bias in INT32 with scale input*weight",
     .otherwise = "NPU-CNN: false; weight type FP16/BF16/FP8/BFP/MX: false; forced false with BFP/MX activations",
     .here = "targets quark, ort and simulate: false: biases are quantized as weights are",
     .set = SetFlag<&OpListOptions::bias, &BiasOptions::int32>},
    {.name = "QDQDisableWeightAdjustForInt32Bias",
     .type = KeyType::kFlag,
     .fallback = "false",
     .meaning = "option of ONNX Runtime's quantizer: weight scales are never enlarged for a bias",
     .ours = true,
     .here = "true: AdjustWeightScaleForInt32Bias=false",
     .set =
         [](Options& o, const KeyValue& v) {
           if (v.on) o.plan.op_list.bias.protect = false;
           return Status::Ok();
         }},
    {.name = "QuantizeBias",
     .type = KeyType::kFlag,
     .fallback = "true",
     .meaning = "quantize bias tensors",
     .here = "targets quark, ort and simulate: false: biases stay float",
     .set = SetFlag<&OpListOptions::bias, &BiasOptions::quantize>},
};

}  // namespace

std::span<const KeySpec> BiasKeys() { return kBiasKeys; }

}  // namespace preon
