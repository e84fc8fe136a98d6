// Functions that a model defines for itself, as PyTorch's newer exporter writes them: calls become their nodes.
#pragma once

#include "base/status.h"

namespace onnx {
class ModelProto;
}  // namespace onnx

namespace preon {

/// Writes out all calls of functions with the model's own opsets, also those in sub-graphs; others stay as they are.
/// The model has passed CheckHostileModel. Errors: kModelInvalid.
Status InlineFunctions(onnx::ModelProto* model);

}  // namespace preon
