// What a quantized model tells of how it was made.
#pragma once

#include <string>

#include "ir/graph.h"
#include "pipeline/run_inputs.h"

namespace preon {

/// Sets the properties preon.version, preon.method, preon.target, preon.activation, preon.weight and preon.options
/// (docs/guide.md) of `model`, which the quantized one takes over; those that an earlier run wrote go. Nothing in them
/// depends on the machine, on paths or times: the same input, options and version give the same bytes.
/// @param method  that chose the ranges; "" = none did
void SetMetadata(Model& model, const RunInputs& run, const std::string& method);

}  // namespace preon
