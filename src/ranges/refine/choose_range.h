// The one way from a tensor's statistics to its range.
#pragma once

#include "ranges/range_method.h"
#include "ranges/refine/tensor_context.h"

namespace preon {

/// The method's range, refined. Errors: those of RangeMethod::Choose.
Result<Range> ChooseRange(const RangeMethod& method, const TensorSketch& sketch, const RangeQuery& query,
                          const TensorContext& context);

/// What becomes of a range that the method has chosen or collected. If the method is graph-aware: the full range of an
/// output where the type has codes enough for it (FullRangeWhereFine), and shorter ends in front of an activation
/// function that flattens them (ActivationAwareRange); else `range`.
Result<Range> RefineRange(const RangeMethod& method, Range range, const TensorSketch& sketch, const RangeQuery& query,
                          const TensorContext& context);

}  // namespace preon
