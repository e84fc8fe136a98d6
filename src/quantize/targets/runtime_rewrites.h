// What ONNX Runtime's quantizer does to a float graph (--compat onnxruntime): nothing, unless the user prepares the
// model as that tool's quant_pre_process does (OptimizeModel=true).
#pragma once

#include <string_view>

#include "ir/graph.h"

namespace preon {

/// @param prepared  OptimizeModel=true
bool RuntimeRewrites(std::string_view pass, bool prepared);
/// Is this node none that the pass may rewrite?
bool RuntimeLeaves(std::string_view pass, const Model& model, const Node& node);

}  // namespace preon
