// Weights of nodes that compute in float, stored in fewer bits.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "ir/graph.h"
#include "quantize/plan/quant_plan.h"

namespace preon {

/// How one weight of a float node is stored.
struct StoredFloatWeight {
  std::string weight, node;
  FloatStorage storage = FloatStorage::kFloat32;
  std::string why;  ///< one clause; may be empty
};

/// Constants that Conv, Gemm, MatMul, Gather, LSTM and their like read as floats are stored as QuantPlan::float_weights
/// allows: as codes behind Cast and, for int8, Mul. The runtime folds both when it loads the model, unlike a
/// DequantizeLinear, so that the node runs as fast as before. One stays as it is where the file would not become
/// smaller by a KiB, where it is not finite, where values of an output channel are too large or small for float16,
/// where others than float nodes read it, and in models with large weights, which the runtime maps from the file: the
/// result has each of them, with its reason. Graph in order; afterwards it is, too. Errors: those of SortTopologically.
Result<std::vector<StoredFloatWeight>> StoreFloatWeights(Graph& graph, const QuantPlan& plan);

}  // namespace preon
