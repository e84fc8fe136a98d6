// What a quantized model tells of how it was made.
#pragma once

#include <map>
#include <string>

#include "config/options.h"
#include "config/resolve/resolve_options.h"
#include "pipeline/prepare_model.h"

namespace preon {

/// Sets the properties preon.version, preon.method, preon.target, preon.activation, preon.weight, preon.options and
/// preon.left_float (docs/guide.md) of `model`, which the quantized one takes over; those that an earlier run wrote go.
/// Nothing in them depends on the machine, on paths or times: the same input, options and version give the same bytes.
/// @param method  that chose the ranges; "" = none did
void SetMetadata(PlannedModel& planned, const Options& options, const Choices& choices, const std::string& method);

/// First outputs of nodes that could compute in integers and were left in float all the same, with the reason: what
/// preon.left_float of `model` says. Empty where there is none that can be read.
std::map<std::string, std::string> LeftInFloat(const Model& model);

}  // namespace preon
