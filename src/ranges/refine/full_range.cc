#include "ranges/refine/full_range.h"

#include "ranges/covering_range.h"
#include "ranges/percentile_range.h"

namespace preon {
namespace {

constexpr double kFineSignalShare = 1e3;  // of the mean square over the rounding error's

}  // namespace

Result<Range> FullRangeWhereFine(const TensorSketch& sketch, const Range& range, const RangeQuery& query) {
  if (query.format.floating()) return range;  // steps that grow with the values
  PREON_ASSIGN_OR_RETURN(const Range observed, ObservedRange(sketch));
  PREON_ASSIGN_OR_RETURN(const Range whole, CoveringRange(observed, query));
  PREON_ASSIGN_OR_RETURN(const QuantParams params, ComputeQuantParams(whole, query.format, query.scale_type));
  const double rounding = double{params.scale} * params.scale / 12;
  const double mean_square = sketch.mean() * sketch.mean() + sketch.variance();
  return mean_square >= kFineSignalShare * rounding ? whole : range;
}

}  // namespace preon
