#include "quantize/targets/op_list/op_list_names.h"

#include <algorithm>
#include <set>

#include "base/spelling.h"

namespace preon {
namespace {

constexpr std::string_view kAxes = "QDQOpTypePerChannelSupportToAxis";

// What has scales per channel: the weight of a linear operator or a normalization, any constant of a MatMul.
std::vector<std::string> ChannelWeights(const Graph& graph, const Node& node, const OpListRules& rules) {
  const OpHandler handler = rules.HandlerOf(node.op_type);
  const bool matmul = handler == OpHandler::kMatMul;
  if (!matmul && handler != OpHandler::kLinear && handler != OpHandler::kNormalization) return {};
  std::vector<std::string> weights;
  for (size_t index = matmul ? 0 : 1; index < std::min<size_t>(node.inputs().size(), 2); ++index) {
    if (graph.Initializer(node.input(index)) != nullptr) weights.push_back(node.input(index));
  }
  return weights;
}

Status CheckAxis(const Graph& graph, const std::string& type, int64_t axis, const OpListRules& rules,
                 std::vector<std::string>* warnings) {
  bool used = false;
  for (const auto& node : graph.nodes()) {
    if (node->op_type != type) continue;
    for (const std::string& weight : ChannelWeights(graph, *node, rules)) {
      used = true;
      const Shape& shape = graph.Initializer(weight)->shape();
      const auto rank = static_cast<int64_t>(shape.size());
      if (axis >= -rank && axis < rank) continue;
      return Error(ErrorId::kBadConfig, kAxes, ": ", type, ": axis: got ", axis, " for '", weight, "' of node '",
                   node->name, "' with shape ", ShapeToString(shape), ", wanted ", -rank, " to ", rank - 1);
    }
  }
  if (!used)
    warnings->push_back(
        StrCat(kAxes, ": '", type, "' has no effect: no such operator has a constant weight with channels"));
  return Status::Ok();
}

}  // namespace

Status CheckOperatorTypes(const Graph& graph, const OpListOptions& options, const OpListRules& rules,
                          std::vector<std::string>* warnings) {
  const SelectionOptions& selection = options.selection;
  const PairOptions& pairs = options.pairs;
  std::vector<std::string> types, axes, between;
  for (const auto& node : graph.nodes()) types.push_back(node->op_type);
  for (const auto& [upper, lower] : pairs.between) {
    if (upper != "Mul" || lower != "Add")
      between.insert(between.end(), {upper, lower});  // RemoveQDQMulAdd asks for it of any model
  }
  for (const auto& [type, axis] : pairs.channel_axis) axes.push_back(type);
  const auto warn_of_unknown = [&](const std::vector<std::string>& named, std::string_view key) {
    for (const std::string& type : std::set<std::string>(named.begin(), named.end())) {
      if (std::ranges::find(types, type) != types.end()) continue;
      warnings->push_back(StrCat(key, ": '", type, "' has no effect: no such operator is left after the rewrites",
                                 DidYouMean(type, types)));
    }
  };
  warn_of_unknown(selection.op_types, "OpTypesToQuantize");
  warn_of_unknown(selection.extra_op_types, "ExtraOpTypesToQuantize");
  warn_of_unknown(pairs.no_output_types, "OpTypesToExcludeOutputQuantization");
  warn_of_unknown(between, "RemoveQDQBetweenOps");
  warn_of_unknown(axes, kAxes);
  for (const auto& [type, axis] : pairs.channel_axis) {
    if (std::ranges::find(types, type) != types.end())
      PREON_RETURN_IF_ERROR(CheckAxis(graph, type, axis, rules, warnings));
  }
  return Status::Ok();
}

}  // namespace preon
