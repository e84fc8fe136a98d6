// Product pairs: weights whose products with two neighbouring inputs a kernel adds in 16 bits.
//
// ONNX Runtime's kernels for x86 processors without VNNI multiply uint8 by int8 two by two and add both products in 16
// bits, saturated. Codes of up to 255 and 127 leave these: 2 · 255 · 127 > 32767, and the result is wrong. It stays
// right on every processor where the codes of no pair add up to more than 128 (docs/design/placement.md).
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "base/tensor.h"
#include "ir/graph.h"
#include "quantize/plan/quant_plan.h"

namespace preon {

/// The pairs of one constant, in `groups` blocks of `group_size` weights that are alike: each pair stands for `inner`
/// neighbours that have one each, side by side.
struct ProductPairs {
  size_t groups = 0, group_size = 0, inner = 1;
  std::vector<std::pair<size_t, size_t>> in_group;  ///< positions, to be multiplied by `inner`
};

/// Of the constant that `node` reads at input 1: Conv, Gemm, MatMul, Attention; LSTM also at input 2. None of depthwise
/// convolutions, whose kernels add in 32 bits.
ProductPairs FindProductPairs(const Node& node, const Shape& weight);

/// Enlarges scales until the codes of no pair add up to more than 128.
/// @param values  of the constant, as the nodes of the plan read it
/// @param params  one, or one per index of the plan's axis; zero points are 0
void FitProductPairs(const Graph& graph, const WeightPlan& plan, const Tensor& values,
                     std::vector<QuantParams>& params);

/// Whether the codes of all pairs add up to 128 at most.
bool ProductPairsFit(const Node& node, const Shape& weight, std::span<const float> codes);
/// Moves codes of pairs towards 0, the larger one first, until they do.
void PullProductPairs(const Node& node, const Shape& weight, std::span<float> codes);

/// Whether this processor adds both products in 32 bits, so that no codes are too large: x86 with VNNI, or another one.
bool ProcessorAddsPairsExactly();

}  // namespace preon
