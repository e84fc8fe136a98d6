// Error against size of several quantized models.
#pragma once

#include <string>
#include <vector>

#include "report/results/validated.h"

namespace preon {

/// A picture with one numbered point per model, in their order, and a line through those on the Pareto front. Sizes are
/// shares of the float model's. "" for fewer than two models that were made.
std::string TradeOff(const std::vector<ValidatedModel>& models, int64_t float_size_bytes);

}  // namespace preon
