#include "quantize/targets/op_list/op_list_rules.h"

#include <algorithm>

#include "quantize/settings/tensor_settings.h"

namespace preon {
namespace {

// Keys that the extended quantizer alone reads, where they are set.
std::vector<std::string_view> ExtendedKeys(const AlignOptions& align, bool aligns_elementwise, bool removes_fused) {
  const AlignOptions unset;
  std::vector<std::string_view> keys;
  for (const auto& [set, key] :
       {std::pair(aligns_elementwise, "AlignEltwiseQuantType"), std::pair(removes_fused, "RemoveFusedQDQ"),
        std::pair(align.concat.has_value(), "AlignConcat"), std::pair(align.pool.has_value(), "AlignPool"),
        std::pair(align.pad.has_value(), "AlignPad"), std::pair(align.slice.has_value(), "AlignSlice"),
        std::pair(align.transpose.has_value(), "AlignTranspose"), std::pair(align.reshape.has_value(), "AlignReshape"),
        std::pair(align.enabled != unset.enabled, "NPULimitationCheck"),
        std::pair(align.rounds != unset.rounds, "MaxLoopNum")}) {
    if (set) keys.emplace_back(key);
  }
  return keys;
}

}  // namespace

std::vector<IgnoredKey> OpListRules::IgnoredKeys(const OpListAsked& asked) const {
  const PairOptions& pairs = asked.op_list.pairs;
  std::vector<IgnoredKey> ignored;
  if (!extended) {
    for (const std::string_view key : ExtendedKeys(asked.op_list.align, pairs.align_elementwise, pairs.fused)) {
      ignored.push_back(
          {key,
           operators == OperatorForm::kLibrary
               ? "the base quantizer (int8 and uint8) does not read it, only the extended one (other types) does"
               : StrCat("target ", target, " does not read it, only the extended quantizer of target quark does")});
    }
  }
  const bool symmetric = Symmetric(asked.activation, asked.symmetric);
  const bool settings = asked.settings.any();
  if (pairs.fold_relu && (symmetric || !extended))
    ignored.push_back(
        {"FoldRelu", symmetric ? "symmetric codes can't replace a Relu or Clip" : "Relu and Clip are folded anyway"});
  if (pairs.fused && extended) {
    std::vector<TensorType> types = asked.settings.Types();
    types.insert(types.end(), {asked.activation, asked.weight});
    if (std::ranges::none_of(types, [](const TensorType& type) { return type.block() != nullptr; }))
      ignored.push_back({"RemoveFusedQDQ", "no tensor has a block format"});
  }
  if (pairs.unsigned_relu && !symmetric && !settings)
    ignored.push_back({"UseUnsignedReLU", "activations are asymmetric, so that codes of a Relu start at 0 anyway"});
  if (!pairs.channel_axis.empty() && !asked.per_channel && !settings)
    ignored.push_back({"QDQOpTypePerChannelSupportToAxis", "weights have one scale each, not one per channel"});
  return ignored;
}

}  // namespace preon
