// Nodes that write and read the residual stream of a transformer.
#pragma once

#include <cstdint>
#include <optional>

#include "ir/graph.h"

namespace preon {

/// A MatMul or Gemm (no scalars, transA) with a constant matrix?
bool IsLayer(const Graph& graph, const Node& node);
/// Does the layer's matrix have a row for each output, not a column?
bool OutputsInRows(const Node& node);
/// The constant that a Gather looks up, a Slice cuts or an Add adds: its last axis is the stream's.
std::optional<size_t> TableInput(const Graph& graph, const Node& node);
/// Of a layer or a table, and of a layer.
int64_t StreamOutputs(const Graph& graph, const Node& writer);
int64_t StreamInputs(const Graph& graph, const Node& reader);

/// The input that has a layer's bias: its own, or that of the Add behind.
struct BiasPlace {
  Node* node = nullptr;  ///< null: it has none
  size_t input = 2;
};
BiasPlace BiasOf(const Graph& graph, Node& layer, int64_t outputs);

}  // namespace preon
