// Clip(0, 6) becomes Relu. Comes before what rewrites are compared with, as it changes what the model computes.
#pragma once

#include "passes/pass.h"

namespace preon {

/// Channels can be scaled in front of a Relu, but not of a Clip, whose upper bound would have to scale with them.
Result<Effect> ReplaceClip6(Model& model);

}  // namespace preon
