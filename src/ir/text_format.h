// Models as ONNX text (onnx/docs/Syntax.md), for tests and for reading graphs in reviews.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "ir/graph.h"

namespace preon {

/// A model from its text form; everything LoadModel does to a file happens to it too.
/// Errors: kModelMalformed with position and what the parser wanted; those of LoadModel.
Result<Model> ParseModelText(std::string_view text);
/// The text form, with all weights. Errors: those of SerializeModel.
Result<std::string> PrintModelText(const Model& model);

}  // namespace preon
