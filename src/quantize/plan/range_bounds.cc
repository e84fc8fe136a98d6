#include "quantize/plan/range_bounds.h"

namespace preon {

Result<Range> RangeBounds::OverExtremes(const Tensor& values) const {
  if (complete()) return Over({});
  PREON_ASSIGN_OR_RETURN(const std::vector<Range> extremes, WeightRanges(values, -1));
  return Over(extremes.at(0));
}

}  // namespace preon
