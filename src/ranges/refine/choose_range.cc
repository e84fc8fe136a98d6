#include "ranges/refine/choose_range.h"

#include "ranges/refine/activation_aware_range.h"
#include "ranges/refine/full_range.h"

namespace preon {

Result<Range> ChooseRange(const RangeMethod& method, const TensorSketch& sketch, const RangeQuery& query,
                          const TensorContext& context) {
  PREON_ASSIGN_OR_RETURN(const Range range, method.Choose(sketch, query));
  return RefineRange(method, range, sketch, query, context);
}

Result<Range> RefineRange(const RangeMethod& method, Range range, const TensorSketch& sketch, const RangeQuery& query,
                          const TensorContext& context) {
  if (!method.graph_aware()) return range;
  if (context.is_output) {
    PREON_ASSIGN_OR_RETURN(range, FullRangeWhereFine(sketch, range, query));
  }
  if (context.read_activation == ReadActivation::kNone) return range;
  return ActivationAwareRange(context.read_activation, sketch, range, query);
}

}  // namespace preon
