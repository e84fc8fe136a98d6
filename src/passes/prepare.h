// Rewrites of the float graph into forms that integer kernels take. Numerically neutral up to rounding.
#pragma once

#include <functional>

#include "ir/graph.h"

namespace preon {

/// Gemm's alpha and beta go into constant B and C; both become 1 (the runtime has no integer Gemm otherwise).
void FoldGemmScalars(Model& model);

/// Gemm with a constant B becomes MatMul and Add, as other tools name them: NAME_MatMul and NAME_Add. Those whose data
/// are transposed or that have scalars stay. `wanted` is asked for each.
void SplitGemm(Model& model, const std::function<bool(const Node&)>& wanted);

/// A linear layer written MatMul + Add(constant bias): for 2-D data it becomes Gemm, whose bias the integer kernel
/// takes. For higher ranks the bias gets leading ones ([1, 1, N]): the result is the same, but the runtime no longer
/// turns the pair into a float Gemm before it looks for integer kernels (2.4 times faster, docs/design/placement.md).
void LowerLinearLayers(Model& model);

/// A BatchNormalization that could not be folded becomes a depthwise 1x1 Conv, which has an integer kernel, when a Conv
/// reads its result (through Relu/Clip).
void LowerBatchNorm(Model& model);

}  // namespace preon
