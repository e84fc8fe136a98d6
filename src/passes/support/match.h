// What patterns ask about a graph: constants and their values, producers, closed sets of nodes.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ir/graph.h"

namespace preon {

/// The constant under this name; null when it is computed, absent, or a default that the model's user may override.
const Tensor* Constant(const Graph& graph, std::string_view tensor);
/// The value of a float constant of one element, whatever its rank.
std::optional<float> ConstantScalar(const Graph& graph, std::string_view tensor);
/// Of a node with two inputs: the constant of one element among them, and the index of the other input; the second
/// input first. Nullopt where neither is one.
struct ScalarOperand {
  float value;
  size_t data;
};
std::optional<ScalarOperand> ScalarOperandOf(const Graph& graph, const Node& node);
/// True for a float constant of one element within `tolerance` of `value`.
bool IsScalar(const Graph& graph, std::string_view tensor, double value, double tolerance = 1e-6);
/// The elements of an int64 constant of rank 0 or 1.
std::optional<std::vector<int64_t>> ConstantInts(const Graph& graph, std::string_view tensor);
/// An integer list that newer opsets take as input `index` and older ones as `attribute`.
std::optional<std::vector<int64_t>> IntsOf(const Graph& graph, const Node& node, size_t index,
                                           std::string_view attribute);
/// A constant that acts per channel on a tensor of `rank` dimensions: one value per index of `axis`, all other
/// dimensions broadcast. Scalars are repeated. Nullopt for anything else, or where broadcasting would grow the tensor.
std::optional<std::vector<double>> ConstantPerChannel(const Graph& graph, std::string_view tensor, size_t rank,
                                                      size_t axis, int64_t channels);

/// The producer of `tensor` where it is a standard operator of this type, else null.
Node* ProducerOf(const Graph& graph, std::string_view tensor, std::string_view op_type);
/// Of a node with two inputs, the one that is not `tensor`; "" where neither or both are.
std::string OtherInput(const Node& node, std::string_view tensor);
/// True when nothing outside `nodes` reads what they write, except what `last` (one of them) writes.
bool IsClosed(const Graph& graph, std::span<Node* const> nodes, const Node* last);
/// Same inputs, same outputs, and no sub-graph: known for standard operators only.
bool IsPure(const Node& node);

}  // namespace preon
