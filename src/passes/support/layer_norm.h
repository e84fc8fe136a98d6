// Recognizes layer normalization written out in elementary operators.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace preon {

/// y = (x - mean) / sqrt(var + epsilon) * gamma + beta over the last dimensions of x.
struct LayerNorm {
  std::string x;
  std::string gamma, beta;  ///< constants of `normalized` shape but for leading ones; "" where absent
  float epsilon = 0;
  Shape normalized;          ///< the trailing dimensions of x that are normalized, static
  std::vector<Node*> nodes;  ///< all nodes of the pattern; nothing else reads what is inside
  Node* last = nullptr;      ///< writes y
};

/// The pattern around `sqrt` = Sqrt(var + epsilon), in the ways that PyTorch, Keras, TensorFlow and JAX write it:
/// d = x - mean; var from Pow(d, 2) or d * d;
/// d / sqrt | d * (1 / sqrt) | d * ((1 / sqrt) * gamma) | x * k + (beta - mean * k) with k = (1 / sqrt) * gamma.
std::optional<LayerNorm> MatchLayerNorm(const Graph& graph, Node& sqrt);

}  // namespace preon
