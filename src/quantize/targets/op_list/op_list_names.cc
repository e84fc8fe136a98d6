#include "quantize/targets/op_list/op_list_names.h"

#include <algorithm>
#include <set>

#include "base/spelling.h"

namespace preon {
namespace {

constexpr std::string_view kAxes = "QDQOpTypePerChannelSupportToAxis";

// What has scales per channel: the weight of a linear operator or a normalization, any constant of a MatMul.
std::vector<std::string> ChannelWeights(const Graph& graph, const Node& node, OpHandler handler) {
  const bool matmul = handler == OpHandler::kMatMul;
  if (!matmul && handler != OpHandler::kLinear && handler != OpHandler::kNormalization) return {};
  std::vector<std::string> weights;
  for (size_t index = matmul ? 0 : 1; index < std::min<size_t>(node.inputs().size(), 2); ++index) {
    if (graph.Initializer(node.input(index)) != nullptr) weights.push_back(node.input(index));
  }
  return weights;
}

Status CheckAxis(const Graph& graph, const std::string& type, int64_t axis, OpHandler handler,
                 std::vector<std::string>* warnings) {
  bool used = false;
  for (const auto& node : graph.nodes()) {
    if (node->op_type != type) continue;
    for (const std::string& weight : ChannelWeights(graph, *node, handler)) {
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

void WarnOfUnknownTypes(const Graph& graph, const std::vector<NamedTypes>& named, std::vector<std::string>* warnings) {
  std::vector<std::string> types;
  for (const auto& node : graph.nodes()) types.push_back(node->op_type);
  for (const auto& [key, wanted] : named) {
    for (const std::string& type : std::set<std::string>(wanted.begin(), wanted.end())) {
      if (std::ranges::find(types, type) != types.end()) continue;
      warnings->push_back(StrCat(key, ": '", type, "' has no effect: no such operator is left after the rewrites",
                                 DidYouMean(type, types)));
    }
  }
}

Status CheckChannelAxes(const Graph& graph, const std::map<std::string, int64_t>& axes, const OpHandlers& handlers,
                        std::vector<std::string>* warnings) {
  for (const auto& [type, axis] : axes) {
    const auto is_there = [&](const auto& node) { return node->op_type == type; };
    if (std::ranges::any_of(graph.nodes(), is_there))
      PREON_RETURN_IF_ERROR(CheckAxis(graph, type, axis, HandlerOf(handlers, type), warnings));
  }
  return Status::Ok();
}

}  // namespace preon
