// Real weights for training instead of decoded ones.
#pragma once

#include <string>
#include <vector>

#include "handover/rounding_errors.h"
#include "handover/training_form.h"

namespace preon {

/// Weights of both models become those of the same name and shape in the float model that was quantized, each as far as
/// it keeps its code: a weight whose code was chosen by an algorithm, or changed by a rewrite, moves into the inner
/// 98 % of that code's interval. Weights that `float_graph` lacks stay decoded.
///
/// @return  errors of the weights that have become real
Result<std::vector<RoundingError>> TakeFloatWeights(const Graph& float_graph, TrainingForm& form);

}  // namespace preon
