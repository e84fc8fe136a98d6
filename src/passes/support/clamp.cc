#include "passes/support/clamp.h"

#include <limits>

#include "passes/support/match.h"

namespace preon {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kLargest = std::numeric_limits<float>::max();

// Also of a Constant that is still a node.
std::optional<float> ScalarOf(const Graph& graph, const std::string& tensor) {
  const Node* node = ProducerOf(graph, tensor, "Constant");
  if (node == nullptr) return ConstantScalar(graph, tensor);
  const auto value = node->attributes.find("value");
  const Tensor* constant = value == node->attributes.end() ? nullptr : std::get_if<Tensor>(&value->second);
  if (constant == nullptr || constant->type() != DataType::kFloat || constant->count() != 1) return std::nullopt;
  return constant->floats()[0];
}

// A bound of Clip as attribute (before opset 11) or input; the largest floats mean "none".
std::optional<float> ClipBound(const Graph& graph, const Node& node, size_t index, std::string_view attribute,
                               float none) {
  const std::optional<float> bound = node.input(index).empty() ? std::optional<float>(node.Float(attribute, none))
                                                               : ScalarOf(graph, node.input(index));
  if (bound.has_value() && (*bound >= kLargest || *bound <= -kLargest) && *bound * none > 0) return none;
  return bound;
}

}  // namespace

std::optional<ClampBounds> MatchClamp(const Graph& graph, const Node& node) {
  if (node.domain.empty() && graph.TypeOf(node.output()) != DataType::kFloat) return std::nullopt;
  if (node.Is("Relu")) return ClampBounds{0, kInfinity};
  if (node.Is("Clip")) {
    const std::optional<float> low = ClipBound(graph, node, 1, "min", -kInfinity),
                               high = ClipBound(graph, node, 2, "max", kInfinity);
    if (!low.has_value() || !high.has_value()) return std::nullopt;
    return ClampBounds{*low, *high};
  }
  if (!node.Is("Max") && !node.Is("Min")) return std::nullopt;
  if (node.inputs().size() != 2) return std::nullopt;
  const size_t index = ClampedInput(graph, node);
  const std::string& data = node.input(index);
  const std::string& bound_name = node.input(1 - index);
  const std::optional<float> bound = ConstantScalar(graph, bound_name);
  const std::optional<Shape> shape = graph.ShapeOf(data);
  // A bound of higher rank than the data would add dimensions to the result.
  if (!bound.has_value() || !shape.has_value() || graph.Initializer(bound_name)->shape().size() > shape->size())
    return std::nullopt;
  return node.Is("Max") ? ClampBounds{*bound, kInfinity} : ClampBounds{-kInfinity, *bound};
}

size_t ClampedInput(const Graph& graph, const Node& node) {
  return (node.Is("Max") || node.Is("Min")) && Constant(graph, node.input(0)) != nullptr ? 1 : 0;
}

}  // namespace preon
