// What every method makes of a tensor, and how much that would lose.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "formats/int_format.h"
#include "ranges/histogram_math.h"
#include "ranges/range_method.h"

namespace preon {

struct MethodRange {
  std::string method;
  Range range;
  double clipped = 0;  ///< share of the finite values outside, 0–1
  double error =
      0;  ///< expected: root mean square of the quantization error over that of the values; 0 where all are 0
};

/// Share of the values outside the range, 0–1.
double ShareOutside(const Distribution& values, const Range& range);

/// `values` is Distribution::Signed of the sketch, which has finite values. Errors: those of the method, with its name.
Result<MethodRange> RangeOf(const RangeMethod& method, const TensorSketch& sketch, const Distribution& values,
                            const IntFormat& format);

}  // namespace preon
