#include "quantize/plan/op_list_options.h"

namespace preon {

std::vector<NamedTypes> OpListOptions::OperatorTypes() const {
  std::vector<std::string> between, axes;
  for (const auto& [upper, lower] : pairs.removed.between) {
    if (upper != "Mul" || lower != "Add")
      between.insert(between.end(), {upper, lower});  // RemoveQDQMulAdd asks for it of any model
  }
  for (const auto& [type, axis] : pairs.channel_axis) axes.push_back(type);
  return {{"OpTypesToQuantize", selection.op_types},
          {"ExtraOpTypesToQuantize", selection.extra_op_types},
          {"OpTypesToExcludeOutputQuantization", pairs.no_output_types},
          {"RemoveQDQBetweenOps", between},
          {"QDQOpTypePerChannelSupportToAxis", axes}};
}

}  // namespace preon
