// Which nodes are quantized.
#include "config/keys/key_setters.h"
#include "config/keys/key_spec.h"

namespace preon {
namespace {

constexpr KeySpec kSelectionKeys[] = {
    {.name = "EnableSubgraph",
     .type = KeyType::kFlag,
     .fallback = "false",
     .meaning = "quantize bodies of control-flow nodes (QDQ quantizers ignore it)",
     .here = "targets quark, ort and simulate: also quantizes constants in bodies of Loop and Scan (smaller, decoded "
             "in each "
             "iteration; activations there stay float; not with --compat); branches of If are always quantized; target "
             "dynamic with --compat: also these bodies",
     .set = SetFlag<&OpListOptions::selection, &SelectionOptions::sub_graphs>},
    {.name = "ExtraOpTypesToQuantize",
     .type = KeyType::kTexts,
     .fallback = "[]",
     .meaning = "op types added to the set",
     .here = "targets quark, ort and simulate: also these operator types",
     .set = SetTexts<&OpListOptions::selection, &SelectionOptions::extra_op_types>},
    {.name = "MatMulConstBOnly",
     .type = KeyType::kFlag,
     .fallback = "false",
     .meaning = "exclude MatMul whose second input is not constant",
     .otherwise = "static: the NPU-transformer flag; dynamic: true",
     .here = "targets quark, ort and simulate: a MatMul of two activations stays float",
     .set = SetFlag<&OpListOptions::selection, &SelectionOptions::matmul_const_b_only>},
    {.name = "NodesToQuantize",
     .type = KeyType::kTexts,
     .fallback = "[]",
     .meaning = "only these node names; empty = all",
     .here = "targets quark, ort and simulate: only these nodes",
     .set = SetTexts<&OpListOptions::selection, &SelectionOptions::nodes>},
    {.name = "OpTypesToQuantize",
     .type = KeyType::kTexts,
     .fallback = "[]",
     .meaning = "replaces the default set of op types; empty = all supported",
     .here = "targets quark, ort and simulate: these operator types instead of the target's",
     .set = SetTexts<&OpListOptions::selection, &SelectionOptions::op_types>},
    {.name = "QuantizeAllOpTypes",
     .type = KeyType::kFlag,
     .fallback = "false",
     .meaning = "add every op type of the model to the set",
     .here = "targets quark, ort and simulate: every operator type of the model",
     .set = SetFlag<&OpListOptions::selection, &SelectionOptions::all_op_types>},
    {.name = "WeightsOnly",
     .type = KeyType::kFlag,
     .fallback = "false",
     .meaning = "quantize initializers only",
     .otherwise = "true when UseGPTQ is true",
     .here = "targets quark, ort and simulate: only constants",
     .set = SetFlag<&OpListOptions::selection, &SelectionOptions::weights_only>},
};

}  // namespace

std::span<const KeySpec> SelectionKeys() { return kSelectionKeys; }

}  // namespace preon
