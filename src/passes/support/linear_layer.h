// A linear layer of rank 3 or more, y = Add(MatMul(x, W), b), which becomes a Gemm between two Reshapes.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace preon {

struct LinearLayer {
  Node *matmul, *add;
  std::string x, weight, bias;  ///< W [K, N] and b [N] are float constants
  std::vector<int64_t> target;  ///< of a Reshape to the shape of y
};

/// Nullopt where MatMul has other readers than Add, x is of rank 2, or y has two dimensions that are not known.
std::optional<LinearLayer> MatchLinearLayer(const Graph& graph, Node& matmul);
/// The target of a Reshape to the shape of `tensor`; nullopt where two of its dimensions are not known.
std::optional<std::vector<int64_t>> ReshapeTargetOf(const Graph& graph, const std::string& tensor);

/// What a wrapped layer's tensors are called.
struct WrappedNames {
  std::string reshape, rows, rows_target;  ///< the Reshape in front: its node, its output, its constant
  std::string sums, y_target;              ///< the Gemm's output, and the constant of the Reshape behind
};

/// x as rows of K elements, by a Reshape in front of the layer.
std::string AddRows(Graph& graph, const LinearLayer& layer, const WrappedNames& names);
/// MatMul becomes the Gemm of `rows` and `weight`, Add the Reshape behind it.
void WrapLayer(Graph& graph, const LinearLayer& layer, const std::string& rows, const std::string& weight,
               const WrappedNames& names, std::map<std::string, AttributeValue> attributes);

}  // namespace preon
