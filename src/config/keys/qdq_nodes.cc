// Between which operators there are pairs.
#include <nlohmann/json.hpp>

#include "config/json_values.h"
#include "config/keys/key_setters.h"
#include "config/keys/key_spec.h"
#include "config/option_values.h"

namespace preon {
namespace {

// [["Mul", "Add"], ...].
Status SetBetween(Options& options, const KeyValue& value) {
  const nlohmann::json list = nlohmann::json::parse(value.text);
  for (const auto& pair : list) {
    if (!list.is_array() || !pair.is_array() || pair.size() != 2 || !pair[0].is_string() || !pair[1].is_string())
      return BadValue(value.text, "a list of pairs of operator types");
    options.plan.op_list.pairs.removed.between.emplace_back(pair[0].get<std::string>(), pair[1].get<std::string>());
  }
  return Status::Ok();
}

Status SetChannelAxes(Options& options, const KeyValue& value) {
  const nlohmann::json axes = nlohmann::json::parse(value.text);
  if (!axes.is_object()) return BadValue(value.text, "a JSON object with an axis for each operator type");
  for (const auto& [type, axis] : axes.items()) {
    const std::optional<int64_t> number = IntegerOf(axis);
    if (!number) return BadValue(axis.dump(), "an axis, which is an integer").WithContext(type);
    options.plan.op_list.pairs.channel_axis[type] = *number;
  }
  return Status::Ok();
}

constexpr KeySpec kQdqNodesKeys[] = {
    {.name = "AddQDQPairToWeight",
     .type = KeyType::kFlag,
     .fallback = "false",
     .meaning = "keep weights in float, followed by a Q/DQ pair",
     .otherwise = "weight type BFP/MX: always true; FP16/BF16: true; integers: false; fine-tuning without auto-mix "
                  "forces true for FP16/BF16 and false otherwise",
     .here = "true: --weight-form operators, false: packed; target quark: without effect on block formats",
     .set = [](Options& o, const KeyValue& v) { return SetOption(o, "weight-form", v.on ? "operators" : "packed"); }},
    {.name = "DedicatedQDQPair",
     .type = KeyType::kFlag,
     .fallback = "false",
     .meaning = "one Q/DQ pair per consumer",
     .here = "targets quark, ort and simulate: a pair for each reader; the CPU runtime then fuses less",
     .set = SetFlag<&OpListOptions::pairs, &PairOptions::dedicated>},
    {.name = "EnableDualQuantNodePairs",
     .type = KeyType::kFlag,
     .fallback = "false",
     .meaning = "Extended only: second pair where two precisions meet",
     .here = "target quark with --format extended: all activations of a node get the type that was set for one of "
             "them; second pairs convert in between",
     .set = SetFlag<&OpListOptions::pairs, &PairOptions::dual>},
    {.name = "ForceQuantizeNoInputCheck",
     .type = KeyType::kFlag,
     .fallback = "false",
     .meaning = "shape-like ops quantize even if their input is still float",
     .here = "targets quark, ort and simulate: also where their input has no quantizer",
     .set = SetFlag<&OpListOptions::pairs, &PairOptions::force_without_input>},
    {.name = "NodesToExcludeOutputQuantization",
     .type = KeyType::kTexts,
     .fallback = "[]",
     .meaning = "nodes whose outputs are never quantized",
     .here = "targets quark, ort and simulate: no quantizer at the outputs of these nodes",
     .set = SetTexts<&OpListOptions::pairs, &PairOptions::no_output_nodes>},
    {.name = "OpTypesToExcludeOutputQuantization",
     .type = KeyType::kTexts,
     .fallback = "[]",
     .meaning = "op types that do not mark their outputs",
     .here = "targets quark, ort and simulate: no quantizer at the outputs of these nodes",
     .set = SetTexts<&OpListOptions::pairs, &PairOptions::no_output_types>},
    {.name = "QDQOpTypePerChannelSupportToAxis",
     .type = KeyType::kTable,
     .fallback = "{}",
     .meaning = "channel axis per op type for per-channel weights",
     .here = "targets quark, ort and simulate: {\"OP\": AXIS, ...}",
     .set = SetChannelAxes},
    {.name = "QDQKeepRemovableActivations",
     .type = KeyType::kFlag,
     .fallback = "false",
     .meaning = "option of ONNX Runtime's quantizer: Relu and Clip stay, even if codes could replace them",
     .ours = true,
     .here = "targets quark, ort and simulate: no Relu or Clip is folded into its producer",
     .set = SetFlag<&OpListOptions::pairs, &PairOptions::keep_clamps>},
    {.name = "RemoveFusedQDQ",
     .type = KeyType::kFlag,
     .fallback = "false",
     .meaning = "Extended only: RemoveQDQ... keys also drop fused BFP/MX nodes",
     .here = "targets quark, ort and simulate: the RemoveQDQ... keys also remove operators of block formats (BFP, MX)",
     .set = SetFlag<&OpListOptions::pairs, &PairOptions::fused>},
    {.name = "RemoveQDQBetweenOps",
     .type = KeyType::kTable,
     .fallback = "null",
     .meaning = "drop the pair between the listed (upper, lower) op types",
     .here = "targets quark, ort and simulate: [[\"Mul\", \"Add\"], ...]: no pair between these",
     .set = SetBetween},
    {.name = "RemoveQDQConvClip",
     .type = KeyType::kFlag,
     .fallback = "true",
     .meaning = "drop the pair between a conv-like node and Clip",
     .here = "targets quark, ort and simulate: one pair, after the Clip",
     .set = SetRemoved<&RemovedPairs::conv_clip>},
    {.name = "RemoveQDQConvGelu",
     .type = KeyType::kFlag,
     .fallback = "false",
     .meaning = "drop the pair between a conv-like node and Gelu",
     .here = "targets quark, ort and simulate: one pair, after the Gelu",
     .set = SetRemoved<&RemovedPairs::conv_gelu>},
    {.name = "RemoveQDQConvLeakyRelu",
     .type = KeyType::kFlag,
     .fallback = "true",
     .meaning = "drop the pair between a conv-like node and LeakyRelu",
     .here = "targets quark, ort and simulate: one pair, after the LeakyRelu",
     .set = SetRemoved<&RemovedPairs::conv_leaky_relu>},
    {.name = "RemoveQDQConvPRelu",
     .type = KeyType::kFlag,
     .fallback = "true",
     .meaning = "drop the pair between a conv-like node and PRelu",
     .here = "targets quark, ort and simulate: one pair, after the PRelu",
     .set = SetRemoved<&RemovedPairs::conv_prelu>},
    {.name = "RemoveQDQConvRelu",
     .type = KeyType::kFlag,
     .fallback = "true",
     .meaning = "drop the pair between a conv-like node and Relu",
     .here = "targets quark, ort and simulate: one pair, after the Relu",
     .set = SetRemoved<&RemovedPairs::conv_relu>},
    {.name = "RemoveQDQInstanceNorm",
     .type = KeyType::kFlag,
     .fallback = "false",
     .meaning = "RemoveQDQConv... keys treat InstanceNormalization like Conv",
     .here = "targets quark, ort and simulate: the RemoveQDQConv... keys treat InstanceNormalization like Conv",
     .set = SetRemoved<&RemovedPairs::instance_norm>},
    {.name = "RemoveQDQMulAdd",
     .type = KeyType::kFlag,
     .fallback = "false",
     .meaning = "drop the pair between Mul and Add",
     .here = "targets quark, ort and simulate: no pair between Mul and Add",
     .set =
         [](Options& o, const KeyValue& v) {
           if (v.on) o.plan.op_list.pairs.removed.between.emplace_back("Mul", "Add");
           return Status::Ok();
         }},
};

}  // namespace

std::span<const KeySpec> QdqNodesKeys() { return kQdqNodesKeys; }

}  // namespace preon
