#include <onnx/checker.h>

#include <algorithm>
#include <exception>
#include <string>
#include <string_view>

#include "ir/graph_proto.h"
#include "ir/model_io.h"

namespace preon {
namespace {

// The checker tells what it was about in lines of their own.
std::string InOneLine(std::string text) {
  constexpr std::string_view kBreak = "\n\n==> Context: ";
  for (size_t at = text.find(kBreak); at != std::string::npos; at = text.find(kBreak))
    text.replace(at, kBreak.size(), "; ");
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::ranges::replace(text, '\n', ' ');
  return text;
}

}  // namespace

Status CheckModel(const Model& model) {
  try {
    onnx::checker::check_model(ToProto(model, InitializerMode::kStructure));
    return Status::Ok();
  } catch (const std::exception& error) {
    return Error(ErrorId::kModelInvalid, InOneLine(error.what()));
  }
}

}  // namespace preon
