// Types and shapes of all tensors, also behind operators that ONNX does not know.
#pragma once

#include "ir/evaluator.h"
#include "ir/graph.h"

namespace preon {

/// InferShapes (ir/model_io.h). Then gives outputs of operators of other domains, which ONNX infers nothing of, the
/// type and shape that the evaluator knows, and with these infers what lies behind them. Without it nothing there would
/// have a type, and so nothing would be quantized. Where only types are known, shapes stay open.
/// @param evaluator  may be null: then operators of other domains stay without types
void InferAllShapes(Model& model, Evaluator* evaluator);

}  // namespace preon
