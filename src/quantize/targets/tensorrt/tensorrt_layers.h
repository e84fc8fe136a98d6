// Which layers gain from INT8 in TensorRT, and what TensorRT computes in their kernels or on their codes
// (docs/design/tensorrt.md).
#pragma once

#include <cstdint>
#include <string>

#include "ir/graph.h"
#include "quantize/plan/float_reason.h"

namespace preon {

/// What an operator does beside layers with weights.
enum class TensorrtRole : uint8_t {
  kLayer,      ///< Conv, ConvTranspose, Gemm, MatMul with constant weights: reads codes
  kPointwise,  ///< becomes part of the kernel of the layer in front of it
  kMover,      ///< commutes with Q and DQ: TensorRT moves these across it
  kPool,       ///< has INT8 kernels, but does not commute
  kConcat,     ///< commutes where all its operands have one scale
  kFloat,
};

struct TensorrtTraits {
  TensorrtRole role = TensorrtRole::kFloat;
  FloatReason reason = FloatReason::kNoKernel;  ///< why, when the role is kFloat
  std::string detail;
};

/// Judges the node alone.
TensorrtTraits ClassifyForTensorrt(const Graph& graph, const Node& node);

/// Has it a convolution's kernel, which adds another tensor to its result?
bool IsConvolution(const Node& node);

/// Axis along which the weight may have a scale per channel; -1: one scale for all.
int TensorrtWeightAxis(const Graph& graph, const Node& layer);

}  // namespace preon
