// LinearOp: Conv, ConvTranspose, Gemm and MatMul (with the Add of a bias) seen alike: output channel c = sum of
// weight(c) * input, plus bias(c).
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

/// A view of a node with a constant float weight (input 1) and a constant bias per channel, or none; and of a tensor
/// that holds its results: its own output, that of the Add behind a MatMul, or what nodes that move values make of
/// them.
struct LinearOp {
  Node* node = nullptr;
  Node* bias_node = nullptr;  ///< what adds the bias: `node`, of a MatMul the Add behind it; null: a MatMul without Add
  size_t bias_index = 2;      ///< its input there
  size_t rank = 0;            ///< of the tensor
  std::optional<size_t> channel_axis;  ///< dimension of the tensor that counts channels; none: they are mixed
  bool adds_zeros = false;             ///< the tensor holds zeros, too, which a shift would change
  int64_t channels = 0;
  int64_t groups = 1;        ///< > 1 only for ConvTranspose, whose weight [C_in, C_out / groups, …] repeats its axis
  size_t weight_axis = 0;    ///< dimension of the weight that counts output channels (of one group)
  double alpha = 1;          ///< Gemm: factor on the weight
  std::vector<double> bias;  ///< with Gemm's beta applied; zeros where absent
};

/// What computes `tensor`, directly or through nodes that only move values (Transpose, Reshape, Flatten, Squeeze,
/// Unsqueeze, Pad), where all tensors on the way have one reader. Nullopt: another operator, or weight or bias are not
/// such constants.
std::optional<LinearOp> MatchLinearBehind(const Graph& graph, std::string_view tensor);
/// The values of a constant that acts on the tensor per channel, or as one value; nullopt for anything else.
std::optional<std::vector<double>> PerChannel(const Graph& graph, std::string_view constant, const LinearOp& linear);

/// Puts the map into weight and bias (a missing bias becomes the initializer `<node>_bias`, for a MatMul with an Add
/// behind it); Gemm's alpha and beta become 1. Numerics: products in double, rounded once to float. Constants that
/// others read too are cloned first.
void FoldAffine(Graph& graph, const LinearOp& linear, const ChannelAffine& affine);

}  // namespace preon
