#include <onnx/shape_inference/implementation.h>

#include <exception>

#include "ir/graph_proto.h"
#include "ir/model_io.h"
#include "ir/value_info_proto.h"

namespace preon {

void InferShapes(Model& model, std::string* warning) {
  try {
    onnx::ModelProto proto = ToProto(model, InitializerMode::kStructure);
    const onnx::ShapeInferenceOptions options(/*check_type=*/false, /*strict_mode=*/0, /*data_prop=*/true);
    onnx::shape_inference::InferShapes(proto, onnx::OpSchemaRegistry::Instance(), options);
    for (const auto* values : {&proto.graph().value_info(), &proto.graph().output()}) {
      for (const auto& value : *values) {
        if (model.graph.Producer(value.name()) != nullptr) model.graph.SetInfo(value.name(), ReadValueInfo(value));
      }
    }
  } catch (const std::exception& error) {
    // What an operator's inference throws on is caught inside; this is a graph that can't be walked at all.
    if (warning != nullptr) *warning = StrCat("shape inference failed: ", error.what());
  }
}

}  // namespace preon
