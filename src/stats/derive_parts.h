// What a sketch of f(x) would hold, from a sketch of x.
#pragma once

#include "stats/scalar_function.h"
#include "stats/sketch_histogram.h"
#include "stats/sketch_parts.h"

namespace preon {

/// Sets all of `parts` but the configuration and the channel sums. (What is exact and what is not:
/// docs/design/sketch.md, "Derived sketches")
/// @param histogram  the source's read-out, sampled mode
void DeriveParts(const SketchParts& source, const Histogram& histogram, const ScalarFunction& function,
                 SketchParts& parts);

}  // namespace preon
