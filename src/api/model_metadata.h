// What a quantized model tells of how it was made.
#pragma once

#include <string>

#include "config/options.h"
#include "config/resolve/resolve_options.h"
#include "ir/graph.h"

namespace preon {

/// Sets the properties preon.version, preon.method, preon.target, preon.activation, preon.weight and preon.options
/// (docs/guide.md) of `model`, which the quantized one takes over; those that an earlier run wrote go. Nothing in them
/// depends on the machine, on paths or times: the same input, options and version give the same bytes.
/// @param method  that chose the ranges; "" = none did
void SetMetadata(Model& model, const Options& options, const Choices& choices, const std::string& method);

}  // namespace preon
