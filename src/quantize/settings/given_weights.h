// Do the scales that a file gives belong to a weight as the model has it, or to one that a rewrite made of it?
#pragma once

#include <map>
#include <string>

#include "base/status.h"
#include "ir/graph.h"
#include "quantize/plan/tensor_override.h"

namespace preon {

/// Of two states of a model, before and behind a rewrite. Training ends with or without folded BatchNormalization; the
/// file does not say which, but weights that its scales were made for all reach about as far, to the last code or,
/// where a bit was left free, to half of that. Errors: kPassFailed naming a weight, where the given scales fit the
/// weights that the rewrite changed better as they were.
Status CheckGivenWeights(const Graph& before, const Graph& after, const std::map<std::string, TensorOverride>& given);

}  // namespace preon
