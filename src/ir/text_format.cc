#include "ir/text_format.h"

#include <onnx/defs/parser.h>
#include <onnx/defs/printer.h>
#include <onnx/onnx_pb.h>

#include "ir/model_io.h"

namespace preon {

Result<Model> ParseModelText(std::string_view text) {
  onnx::ModelProto proto;
  const onnx::Common::Status parsed = onnx::OnnxParser::Parse(proto, text);
  if (!parsed.IsOK()) return Error(ErrorId::kModelMalformed, "text: ", parsed.ErrorMessage());
  const std::string bytes = proto.SerializeAsString();
  return LoadModel("text", {.bytes = bytes});
}

Result<std::string> PrintModelText(const Model& model) {
  PREON_ASSIGN_OR_RETURN(const std::string bytes, SerializeModel(model));
  onnx::ModelProto proto;
  if (!proto.ParseFromString(bytes)) return Error(ErrorId::kInternal, "text: the model's own bytes can't be parsed");
  return onnx::ProtoToString(proto);
}

}  // namespace preon
