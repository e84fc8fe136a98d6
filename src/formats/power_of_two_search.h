// The exponents that MinMSE tries, for activations and weights alike (Quark's PowerOfTwoMethod.MinMSE).
#pragma once

#include <cfloat>
#include <cmath>
#include <limits>

#include "formats/int_format.h"

namespace preon {

/// Of the scales 2s, s, s/2, s/4 and s/8 with the zero point of `observed`, whose scale s is, the one with the smallest
/// error_of(params); ties go to the larger. Returns all that its codes represent, which leads back to the same scale
/// and may exceed what was observed.
template <typename ErrorOf>
Range BestPowerOfTwoRange(const QuantParams& observed, const IntFormat& format, const ErrorOf& error_of) {
  QuantParams best = observed;
  double smallest = std::numeric_limits<double>::infinity();
  for (float factor : {2.0f, 1.0f, 0.5f, 0.25f, 0.125f}) {
    const QuantParams params{observed.scale * factor, observed.zero_point};
    const Range range = RepresentableRange(params, format);
    if (params.scale < FLT_MIN || !std::isfinite(range.max - range.min)) continue;  // no range leads to these
    const double error = error_of(params);
    if (error < smallest) {
      smallest = error;
      best = params;
    }
  }
  return RepresentableRange(best, format);
}

}  // namespace preon
