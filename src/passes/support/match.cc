#include "passes/support/match.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace preon {

const Tensor* Constant(const Graph& graph, std::string_view tensor) {
  return graph.overridable_initializers.count(tensor) > 0 ? nullptr : graph.Initializer(tensor);
}

namespace {

// Whether some reader's result gets its number of dimensions from the constant, by broadcasting.
bool GivesRank(const Graph& graph, std::string_view constant, size_t rank) {
  if (rank == 0) return false;
  for (const Use& use : graph.Uses(constant)) {
    if (use.captured) continue;
    size_t largest = 0;
    bool all_known = true;
    for (const std::string& input : use.node->inputs()) {
      if (input == constant || input.empty()) continue;
      const std::optional<Shape> shape = graph.ShapeOf(input);
      all_known = all_known && shape.has_value();
      if (shape) largest = std::max(largest, shape->size());
    }
    if (largest < rank && (all_known || rank > 1)) return true;
  }
  return false;
}

}  // namespace

std::optional<float> ConstantScalar(const Graph& graph, std::string_view tensor) {
  const Tensor* constant = Constant(graph, tensor);
  if (constant == nullptr || constant->type() != DataType::kFloat || constant->count() != 1) return std::nullopt;
  if (GivesRank(graph, tensor, constant->shape().size())) return std::nullopt;
  return constant->floats()[0];
}

std::optional<ScalarOperand> ScalarOperandOf(const Graph& graph, const Node& node) {
  for (const size_t data : {0, 1})
    if (const std::optional<float> value = ConstantScalar(graph, node.input(1 - data)))
      return ScalarOperand{*value, data};
  return std::nullopt;
}

bool IsScalar(const Graph& graph, std::string_view tensor, double value, double tolerance) {
  const std::optional<float> scalar = ConstantScalar(graph, tensor);
  return scalar.has_value() && std::abs(*scalar - value) <= tolerance;
}

std::optional<std::vector<int64_t>> ConstantInts(const Graph& graph, std::string_view tensor) {
  const Tensor* constant = Constant(graph, tensor);
  if (constant == nullptr || constant->type() != DataType::kInt64 || constant->shape().size() > 1) return std::nullopt;
  const std::span<const int64_t> values = constant->As<int64_t>();
  return std::vector<int64_t>(values.begin(), values.end());
}

std::optional<std::vector<int64_t>> IntsOf(const Graph& graph, const Node& node, size_t index,
                                           std::string_view attribute) {
  if (node.Has(attribute)) return node.Ints(attribute);
  return ConstantInts(graph, node.input(index));
}

std::optional<std::vector<double>> ConstantPerChannel(const Graph& graph, std::string_view tensor, size_t rank,
                                                      size_t axis, int64_t channels) {
  const Tensor* constant = Constant(graph, tensor);
  if (constant == nullptr || constant->type() != DataType::kFloat || constant->shape().size() > rank)
    return std::nullopt;
  const Shape& shape = constant->shape();
  const size_t missing = rank - shape.size();  // broadcasting aligns the last dimensions
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    if (shape[dim] != 1 && (dim + missing != axis || shape[dim] != channels)) return std::nullopt;
  }
  const std::span<const float> values = constant->floats();
  if (values.size() == 1) return std::vector<double>(static_cast<size_t>(channels), values[0]);
  return std::vector<double>(values.begin(), values.end());
}

Node* ProducerOf(const Graph& graph, std::string_view tensor, std::string_view op_type) {
  Node* node = graph.Producer(tensor);
  return node != nullptr && node->Is(op_type) ? node : nullptr;
}

std::string OtherInput(const Node& node, std::string_view tensor) {
  if (node.inputs().size() != 2 || (node.input(0) == tensor) == (node.input(1) == tensor)) return "";
  return node.input(node.input(0) == tensor ? 1 : 0);
}

bool IsClosed(const Graph& graph, std::span<Node* const> nodes, const Node* last) {
  const auto inside = [&](const Use& use) {
    return !use.captured && std::find(nodes.begin(), nodes.end(), use.node) != nodes.end();
  };
  return std::all_of(nodes.begin(), nodes.end(), [&](const Node* node) {
    return node == last || std::all_of(node->outputs().begin(), node->outputs().end(), [&](const std::string& tensor) {
             const std::vector<Use> uses = graph.Uses(tensor);
             return !graph.IsOutput(tensor) && std::all_of(uses.begin(), uses.end(), inside);
           });
  });
}

bool IsPure(const Node& node) {
  constexpr std::array<std::string_view, 7> kRandom = {
      "Bernoulli", "Dropout", "Multinomial", "RandomNormal", "RandomUniform", "RandomNormalLike", "RandomUniformLike"};
  return node.domain.empty() && !node.HasSubgraph() &&
         std::find(kRandom.begin(), kRandom.end(), node.op_type) == kRandom.end();
}

}  // namespace preon
