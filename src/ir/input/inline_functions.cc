#include "ir/input/inline_functions.h"

#include <onnx/inliner/inliner.h>
#include <onnx/onnx_pb.h>

#include <exception>

namespace preon {

Status InlineFunctions(onnx::ModelProto* model) {
  if (model->functions_size() == 0) return Status::Ok();
  try {
    onnx::inliner::InlineLocalFunctions(*model);
  } catch (const std::exception& problem) {
    return Error(ErrorId::kModelInvalid, "calls of the model's functions can't be written out: ", problem.what());
  }
  return Status::Ok();
}

}  // namespace preon
