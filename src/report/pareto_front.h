// The Pareto front of quantized models by error and size.
#pragma once

#include <vector>

#include "report/results/validated.h"

namespace preon {

/// Of each model: no other one is nearer to float and no larger, or smaller and no farther. Never one that was not
/// made.
std::vector<bool> OnParetoFront(const std::vector<ValidatedModel>& models);

}  // namespace preon
