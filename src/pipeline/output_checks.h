// What outputs of a result must have in common with those of the model that it was made of.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "eval/compare_models.h"
#include "ir/graph.h"

namespace preon {

/// False for what NonZero or NonMaxSuppression lead to: an axis has no size, nor a name that an axis of an input has.
bool ShapeFollowsFromInputs(const Graph& graph, const std::string& output);

/// Whether a model with images as NHWC (`compared` with its NCHW form) gives the same. The same integers come out, but
/// for what the runtime fuses otherwise around a Transpose, which may move a value over a threshold: an output whose
/// shape depends on the data gets a warning where the shape differs. Errors: kVerifyOutput naming the output.
Status CheckNhwcForm(const Comparison& compared, const Graph& graph, std::vector<std::string>& warnings);

}  // namespace preon
