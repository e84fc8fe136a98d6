// Types and shapes behind operators that ONNX does not know.
#pragma once

#include "ir/evaluator.h"
#include "ir/graph.h"

namespace preon {

/// Gives outputs of operators of other domains, which ONNX infers nothing of, the type and shape that the evaluator
/// knows, and with these infers what lies behind them. Without it nothing there would have a type, and so nothing would
/// be quantized. Where only types are known, shapes stay open.
/// @param evaluator  may be null: then nothing happens
void InferCustomOps(Model& model, Evaluator* evaluator);

}  // namespace preon
