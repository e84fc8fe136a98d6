// Sizes of a model's inputs that it does not declare, but that no run can do without.
#pragma once

#include <vector>

#include "base/tensor_spec.h"
#include "ir/graph.h"

namespace preon {

/// Fills open dimensions of `inputs`, the first axis excepted, which counts samples, from the shapes of what they meet:
/// weights of Conv, ConvTranspose, MatMul, Gemm, LSTM, GRU and RNN, parameters of BatchNormalization, the other side of
/// elementwise operators. The graph has inferred shapes.
void FillInputSizes(const Graph& graph, std::vector<TensorSpec>& inputs);

}  // namespace preon
