// Which way blocks run.
#pragma once

#include "ir/graph.h"
#include "quantize/plan/quant_plan.h"

namespace preon {

/// The axis of a constant operand (input 1 of Conv, ConvTranspose, Gemm, MatMul) that the operator sums over.
int ReducedAxis(const Graph& graph, const Node& node);

/// Blocks of what MatMul, Gemm and Softmax read run along the axis that they reduce, and of what a MatMul writes along
/// its last: a tensor that is refined twice keeps the later axis, which is a warning if they differ.
void RefineBlockAxes(const Graph& graph, QuantPlan* plan);

}  // namespace preon
