// Older and internal names.
#include "base/spelling.h"
#include "config/keys/key_setters.h"
#include "config/keys/key_spec.h"

namespace preon {
namespace {

constexpr KeySpec kLegacyKeys[] = {
    {.name = "ActivationSymmetric",
     .type = KeyType::kFlag,
     .fallback = "false",
     .meaning = "legacy symmetry switch for activations",
     .otherwise = "QConfig path: the Spec of the tensor decides; unset: true for FP16/BF16/BFP/MX",
     .default_here = "that of the target: quark and simulate have int8 symmetric",
     .here = "--symmetric",
     .set =
         [](Options& o, const KeyValue& v) {
           return SetOption(o, "symmetric", v.text == "1" ? "true" : v.text == "0" ? "false" : ToLower(v.text));
         }},
    {.name = "Compat",
     .type = KeyType::kText,
     .fallback = "\"off\"",
     .meaning = "whose ranges, scales and codes",
     .range = "off|quark|onnxruntime",
     .ours = true,
     .here = "--compat",
     .set = [](Options& o, const KeyValue& v) { return SetOption(o, "compat", v.text); }},
    {.name = "DedicateDQNode",
     .type = KeyType::kFlag,
     .fallback = "false",
     .meaning = "one DQ per consumer after quantization",
     .here = "targets quark, ort and simulate: a DequantizeLinear for each reader",
     .set = SetFlag<&OpListOptions::pairs, &PairOptions::dedicated_dequantize>},
    {.name = "EnableNPUCnn",
     .type = KeyType::kFlag,
     .fallback = "false",
     .meaning = "force the NPU-CNN flag",
     .otherwise = "true if both global specs are PowerOf2",
     .here = "true: --target npu-cnn, without effect in a QConfig with float32 scales or in the extended format; "
             "false: a QConfig with power-of-two scales is for target quark",
     .set = [](Options& o,
               const KeyValue& v) { return v.on && !o.target ? SetOption(o, "target", "npu-cnn") : Status::Ok(); }},
    {.name = "InputNodes",
     .type = KeyType::kTexts,
     .fallback = "[]",
     .meaning = "start of the quantized part",
     .here = "nodes before these nodes, inputs or outputs stay float",
     .set =
         [](Options& o, const KeyValue& v) {
           o.plan.exclude.first_nodes = v.texts;
           return Status::Ok();
         }},
    {.name = "MixedPrecisionTensor",
     .type = KeyType::kTable,
     .fallback = "{}",
     .meaning = "legacy: quant type -> tensor names",
     .here = "{\"TYPE\": [\"TENSOR\", ...], ...}, with SpecificTensorPrecision: types of tensors; all other settings "
             "override them",
     .set =
         [](Options& o, const KeyValue& v) {
           o.types.mixed_precision.tensors = v.text;
           return Status::Ok();
         }},
    {.name = "NodesWithMixedPrecision",
     .type = KeyType::kTexts,
     .fallback = "[]",
     .meaning = "internal: nodes that have a layer config",
     .here = "no effect: specific_layer_config and layer_type_config say which nodes these are",
     .set = SetNothing},
    {.name = "OutputNodes",
     .type = KeyType::kTexts,
     .fallback = "[]",
     .meaning = "end of the quantized part",
     .here = "nodes after these nodes, inputs or outputs stay float",
     .set =
         [](Options& o, const KeyValue& v) {
           o.plan.exclude.last_nodes = v.texts;
           return Status::Ok();
         }},
    {.name = "SpecificTensorPrecision",
     .type = KeyType::kFlag,
     .fallback = "false",
     .meaning = "legacy switch for MixedPrecisionTensor",
     .here = "with MixedPrecisionTensor",
     .set =
         [](Options& o, const KeyValue& v) {
           o.types.mixed_precision.enabled = v.on;
           return Status::Ok();
         }},
    {.name = "TensorsRangeFile",
     .type = KeyType::kText,
     .fallback = "null",
     .meaning = "older name of SaveAndRestore",
     .here = "--save-and-restore (older name)",
     .set = [](Options& o, const KeyValue& v) { return SetOption(o, "save-and-restore", v.text); }},
    {.name = "UsePowerOf2Scale",
     .type = KeyType::kFlag,
     .fallback = "true",
     .meaning = "internal: false keeps the float scale",
     .here = "false: scales that were to be powers of two are float32",
     .set = SetNothing},
    {.name = "UseQDQContribOps",
     .type = KeyType::kFlag,
     .fallback = "false",
     .meaning = "Q/DQ in the com.microsoft domain",
     .here = "targets quark, ort and simulate: quantizers of domain com.microsoft",
     .set = SetFlag<&OpListOptions::pairs, &PairOptions::contrib_domain>},
    {.name = "UseQDQVitisCustomOps",
     .type = KeyType::kFlag,
     .fallback = "true",
     .meaning = "operator format with power-of-two scales: custom quantizers",
     .here = "no effect: the quantizers are those of the standard, with any scales",
     .set = SetNothing},
    {.name = "WeightSymmetric",
     .type = KeyType::kFlag,
     .fallback = "true",
     .meaning = "legacy symmetry switch for weights",
     .otherwise = "QConfig path: the Spec of the tensor decides; unset: true for signed and float-like types",
     .here = "true: the zero point of weights is the middle code",
     .set =
         [](Options& o, const KeyValue& v) {
           o.plan.weight_symmetric = v.on;
           return Status::Ok();
         }},
};

}  // namespace

std::span<const KeySpec> LegacyKeys() { return kLegacyKeys; }

}  // namespace preon
