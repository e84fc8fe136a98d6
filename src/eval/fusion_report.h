// Which kernels the runtime really runs for a quantized model, read back from the graph that it optimized.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "ir/graph.h"

namespace preon {

enum class KernelClass {
  kInteger,   ///< computes in integers
  kMover,     ///< only moves or clamps values, on an integer tensor
  kFloat,     ///< computes, or moves values, in its own (float, bool, index) type
  kAbsorbed,  ///< not in the optimized graph: folded into another node or into constants
};

struct ObservedKernel {
  KernelClass kernel_class = KernelClass::kAbsorbed;
  std::string kernel;  ///< operator of the optimized graph, "" when absorbed
};

/// True for the runtime's operators that compute on codes ("QLinearConv", "MatMulIntegerToFloat", …).
bool IsIntegerKernel(std::string_view op_type);

/// Finds the nodes of `quantized` (without Q/DQ) in `optimized`, the graph that the runtime wrote for it: by name, by
/// the name a layout change gave it, by the constant it reads, or by what it writes. One entry per node, by its name.
/// Source: names as ONNX Runtime 1.30 gives them.
std::map<std::string, ObservedKernel> ObserveKernels(const Graph& quantized, const Graph& optimized);

}  // namespace preon
