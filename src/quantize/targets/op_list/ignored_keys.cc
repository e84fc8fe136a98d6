#include "quantize/targets/op_list/op_list_rules.h"

#include <algorithm>
#include <array>

#include "quantize/settings/tensor_settings.h"

namespace preon {
namespace {

struct SetKey {
  bool set;
  std::string_view key;
};

std::vector<std::string_view> SetAmong(const std::vector<SetKey>& keys) {
  std::vector<std::string_view> found;
  for (const auto& [set, key] : keys) {
    if (set) found.emplace_back(key);
  }
  return found;
}

// Keys that the extended quantizer alone reads. Switched off, a rule is what it is without a target that has it: that
// goes for all keys here.
std::vector<std::string_view> ExtendedKeys(bool aligns_elementwise, bool removes_fused) {
  return SetAmong({{aligns_elementwise, "AlignEltwiseQuantType"}, {removes_fused, "RemoveFusedQDQ"}});
}

// … and others of ours, but with the other tools' rules. Positions have no such moves.
std::vector<std::string_view> MoveKeys(std::optional<bool> transpose, std::optional<bool> reshape) {
  return SetAmong({{transpose.value_or(false), "AlignTranspose"}, {reshape.value_or(false), "AlignReshape"}});
}

std::vector<std::string_view> BetweenKeys(const std::vector<std::pair<std::string, std::string>>& between) {
  const auto is_mul_add = [](const auto& pair) { return pair == std::pair<std::string, std::string>("Mul", "Add"); };
  return SetAmong({{std::ranges::any_of(between, is_mul_add), "RemoveQDQMulAdd"},
                   {!std::ranges::all_of(between, is_mul_add), "RemoveQDQBetweenOps"}});
}

std::vector<std::string_view> AlignKeys(const AlignOptions& align) {
  return SetAmong({{align.concat.value_or(false), "AlignConcat"},
                   {align.pool.value_or(false), "AlignPool"},
                   {align.pad.value_or(false), "AlignPad"},
                   {align.slice.value_or(false), "AlignSlice"},
                   {align.rounds != AlignOptions().rounds, "MaxLoopNum"}});
}

// The latter alone.
std::vector<std::string_view> ShiftKeys(const ShiftOptions& shifts) {
  return SetAmong({{shifts.read.value_or(false), "AdjustShiftRead"},
                   {shifts.write.value_or(false), "AdjustShiftWrite"},
                   {shifts.cut.value_or(false), "AdjustShiftCut"},
                   {shifts.bias.value_or(false), "AdjustShiftBias"},
                   {shifts.hard_sigmoid.value_or(false), "AdjustHardSigmoid"},
                   {shifts.swish.value_or(false), "AdjustShiftSwish"}});
}

struct DpuKey {
  std::optional<bool> DpuOptions::*asked;
  std::string_view key;
  std::array<std::string_view, 2> op_types;  ///< that it converts
};

constexpr DpuKey kDpuKeys[] = {
    {&DpuOptions::leaky_relu, "ConvertLeakyReluToDPUVersion", {"LeakyRelu"}},
    {&DpuOptions::sigmoid, "ConvertSigmoidToHardSigmoid", {"Sigmoid"}},
    {&DpuOptions::hard_sigmoid, "ConvertHardSigmoidToDPUVersion", {"HardSigmoid", "Sigmoid"}},
    {&DpuOptions::average_pool, "ConvertAvgPoolToDPUVersion", {"AveragePool", "GlobalAveragePool"}},
    {&DpuOptions::reduce_mean, "ConvertReduceMeanToDPUVersion", {"ReduceMean"}},
    {&DpuOptions::softmax, "ConvertSoftmaxToDPUVersion", {"Softmax"}},
    {&DpuOptions::instance_norm, "ConvertInstanceNormToDPUVersion", {"InstanceNormalization"}},
    {&DpuOptions::clip, "ConvertClipToDPUVersion", {"Clip"}}};

std::vector<std::string_view> DpuKeys(const DpuOptions& dpu) {
  std::vector<SetKey> keys = {{dpu.simulate.value_or(false), "SimulateDPU"}};
  for (const DpuKey& each : kDpuKeys) keys.push_back({(dpu.*each.asked).value_or(false), each.key});
  return SetAmong(keys);
}

}  // namespace

std::vector<std::string> DpuKeysWithoutNodes(const DpuOptions& dpu, const std::vector<NodeDecision>& nodes) {
  std::vector<std::string> told;
  for (const auto& [asked, key, op_types] : kDpuKeys) {
    const bool converts = std::ranges::any_of(nodes, [&](const NodeDecision& node) {
      return node.is_static() && std::ranges::find(op_types, node.op_type) != op_types.end();
    });
    if ((dpu.*asked).value_or(false) && !converts)
      told.push_back(StrCat(key, ": has no effect here: no ", op_types.front(), " node is quantized"));
  }
  return told;
}

std::vector<IgnoredKey> OpListRules::IgnoredKeys(const OpListAsked& asked) const {
  const PairOptions& pairs = asked.op_list.pairs;
  std::vector<IgnoredKey> ignored;
  const auto ignore = [&](const std::vector<std::string_view>& keys, std::string_view who_reads) {
    for (const std::string_view key : keys)
      ignored.push_back(
          {key, StrCat(target == "quark" ? (extended ? "the extended quantizer" : "the base quantizer (int8 and uint8)")
                                         : StrCat("target ", target),
                       " does not read it, only ", who_reads)});
  };
  const char* kExtended =
      target == "quark" ? "the extended one (other types) does" : "the extended quantizer of target quark does";
  if (!extended) ignore(ExtendedKeys(pairs.align_elementwise, pairs.fused), kExtended);
  if (!AlignsScales(asked.compat))
    ignore(MoveKeys(asked.op_list.align.transpose, asked.op_list.align.reshape), kExtended);
  if (!AlignsScales(asked.compat) && !has_positions) ignore(AlignKeys(asked.op_list.align), kExtended);
  if (!removes_pairs) ignore(BetweenKeys(pairs.removed.between), "target quark and those for NPUs do");
  if (!has_positions) ignore(ShiftKeys(asked.op_list.shifts), "target npu-cnn does");
  if (!simulates_dpu)
    ignore(DpuKeys(asked.op_list.dpu), "target npu-cnn and the extended quantizer of target quark do");
  const bool symmetric = Symmetric(asked.activation, asked.symmetric);
  const bool settings = asked.settings.any();
  if (pairs.fold_relu && (symmetric || !extended))
    ignored.push_back({"FoldRelu",
                       symmetric ? "symmetric codes can't replace a Relu or Clip" : "Relu and Clip are folded anyway",
                       !symmetric});
  if (pairs.fused && extended) {
    std::vector<TensorType> types = asked.settings.Types();
    types.insert(types.end(), {asked.activation, asked.weight});
    if (std::ranges::none_of(types, [](const TensorType& type) { return type.block() != nullptr; }))
      ignored.push_back({"RemoveFusedQDQ", "no tensor has a block format"});
  }
  if (pairs.unsigned_relu && !symmetric && !settings)
    ignored.push_back(
        {"UseUnsignedReLU", "activations are asymmetric, so that codes of a Relu start at 0 anyway", true});
  const bool activations = IsIntType(asked.activation.type()), weights = IsIntType(asked.weight.type());
  const std::string types = asked.activation == asked.weight
                                ? std::string(asked.activation.name())
                                : StrCat(asked.activation.name(), " and ", asked.weight.name());
  if (pairs.unsigned_relu && !activations && !settings)
    ignored.push_back({"UseUnsignedReLU", StrCat(asked.activation.name(), " has no unsigned form")});
  if (pairs.unsigned_relu && has_positions && asked.compat == Compat::kOff)
    ignored.push_back({"UseUnsignedReLU", "NPUs have no zero points"});
  if (pairs.contrib_domain && !activations && !weights && !settings)
    ignored.push_back({"UseQDQContribOps", StrCat("quantizers of ", types, " are not those of com.microsoft")});
  const BiasOptions& bias = asked.op_list.bias;
  if (!(activations && weights) && !settings)
    for (const std::string_view key : SetAmong({{bias.int16, "Int16Bias"},
                                                {bias.int32.value_or(false), "Int32Bias"},
                                                {bias.protect.value_or(false), "AdjustWeightScaleForInt32Bias"}}))
      ignored.push_back({key, StrCat("with ", types, " no bias has int32 codes")});
  if (!pairs.channel_axis.empty() && !asked.per_channel && !settings)
    ignored.push_back({"QDQOpTypePerChannelSupportToAxis", "weights have one scale each, not one per channel"});
  return ignored;
}

}  // namespace preon
