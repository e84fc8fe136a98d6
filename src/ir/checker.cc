#include <onnx/checker.h>

#include <exception>

#include "ir/graph_proto.h"
#include "ir/model_io.h"

namespace preon {

Status CheckModel(const Model& model) {
  try {
    onnx::checker::check_model(ToProto(model, InitializerMode::kStructure));
    return Status::Ok();
  } catch (const std::exception& error) {
    return Error(ErrorId::kModelInvalid, error.what());
  }
}

}  // namespace preon
