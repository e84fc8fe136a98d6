// LinearOp: Conv, ConvTranspose and Gemm seen alike: output channel c = sum of weight(c) * input, plus bias(c).
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ir/graph.h"

namespace preon {

/// y -> scale[c] * y + shift[c], one entry per channel.
struct ChannelAffine {
  std::vector<double> scale, shift;
};

/// A view of a node with a constant float weight (input 1) and a constant bias per channel, or none (input 2).
struct LinearOp {
  Node* node = nullptr;
  size_t output_rank = 0;  ///< channels are dimension 1 of the output
  int64_t channels = 0;
  int64_t groups = 1;        ///< > 1 only for ConvTranspose, whose weight [C_in, C_out / groups, …] repeats its axis
  size_t weight_axis = 0;    ///< dimension of the weight that counts output channels (of one group)
  double alpha = 1;          ///< Gemm: factor on the weight
  std::vector<double> bias;  ///< with Gemm's beta applied; zeros where absent
};

/// Nullopt when the node is another operator, or weight or bias are not such constants.
std::optional<LinearOp> MatchLinear(const Graph& graph, Node* node);
/// The same for the producer of `tensor`, if nothing but one node reads it.
std::optional<LinearOp> MatchLinearBehind(const Graph& graph, std::string_view tensor);

/// Puts the map into weight and bias (a missing bias becomes the initializer `<node>_bias`); Gemm's alpha and beta
/// become
/// 1. Numerics: products in double, rounded once to float. Constants that others read too are cloned first.
void FoldAffine(Graph& graph, const LinearOp& linear, const ChannelAffine& affine);

}  // namespace preon
