#include "ranges/refine/full_range.h"

#include "ranges/covering_range.h"
#include "ranges/histogram_math.h"
#include "ranges/percentile_range.h"

namespace preon {
namespace {

constexpr double kFineSignalShare = 1e3;  // of the mean square over the rounding error's
constexpr double kLeastKeptShare = 0.9;   // of the largest values

// A power of two that cuts off a little of the largest values only, and loses less than the next, whose steps are twice
// as wide: `whole` otherwise.
Result<Range> OrNearestPower(const TensorSketch& sketch, const Range& observed, const Range& whole,
                             const RangeQuery& query) {
  PREON_ASSIGN_OR_RETURN(const QuantParams wide, ComputeQuantParams(whole, query.format, query.scale_type));
  PREON_ASSIGN_OR_RETURN(const QuantParams near, ComputeQuantParams(observed, query.format, query.scale_type));
  const Range kept = RepresentableRange(near, query.format);
  if (kept.max < kLeastKeptShare * observed.max || kept.min > kLeastKeptShare * observed.min) return whole;
  const Distribution values = Distribution::Signed(sketch);
  const auto error_of = [&](const QuantParams& params) {
    return ExpectedQuantizationError(values, params, query.format, ErrorMetric::kMeanSquare);
  };
  return error_of(near) < error_of(wide) ? kept : whole;
}

}  // namespace

Result<Range> FullRangeWhereFine(const TensorSketch& sketch, const Range& range, const RangeQuery& query) {
  if (query.format.floating()) return range;  // steps that grow with the values
  PREON_ASSIGN_OR_RETURN(const Range observed, ObservedRange(sketch));
  PREON_ASSIGN_OR_RETURN(const Range whole, CoveringRange(observed, query));
  PREON_ASSIGN_OR_RETURN(const QuantParams params, ComputeQuantParams(whole, query.format, query.scale_type));
  const double rounding = double{params.scale} * params.scale / 12;
  const double mean_square = sketch.mean() * sketch.mean() + sketch.variance();
  if (mean_square < kFineSignalShare * rounding) return range;
  return query.scale_type == ScaleType::kPowerOfTwo ? OrNearestPower(sketch, observed, whole, query) : whole;
}

}  // namespace preon
