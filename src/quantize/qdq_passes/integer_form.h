// IntegerForm: a model for NPUs in the form that ONNX Runtime computes in integers, to run it on samples sooner.
#pragma once

#include "base/status.h"
#include "ir/graph.h"

namespace preon {

/// The same model where all its scales are powers of two and this processor adds products exactly: biases in int32
/// codes, uint8 activations, and clamps behind the QuantizeLinear nodes (clamp_codes). What it computes is equal, bit
/// for bit as long as float adds up products exactly (sums of codes below 2^24). Other models come back as they are.
/// Errors: those of the passes.
Result<Model> IntegerForm(Model model);

}  // namespace preon
