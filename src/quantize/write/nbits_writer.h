// Writes com.microsoft::MatMulNBits nodes and their constants under ONNX Runtime's names.
#pragma once

#include "base/status.h"
#include "ir/graph.h"
#include "quantize/plan/quant_plan.h"
#include "quantize/write/write_hook.h"

namespace preon {

/// Replaces the plan's MatMul and Gemm nodes. Weights that several of them read are encoded once.
/// The same bytes on any number of threads. Errors: kQuantizeFailed naming the weight.
Status WriteNBits(Model& model, const NBitsPlan& plan, const WriteHooks& hooks, int threads);

}  // namespace preon
