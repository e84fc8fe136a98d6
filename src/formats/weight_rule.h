// WeightRule: how the ranges of a weight follow from its values.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "formats/scale_type.h"

namespace preon {

enum class WeightMethod : uint8_t {
  kMinMax,  ///< the values' own extremes
  kMinMse,  ///< the candidate with the smallest mean square error over the values
  kHqq,     ///< half-quadratic: zero points that need not be integers; of MatMulNBits alone (formats/half_quadratic.h)
};

/// What kMinMse tries for scales that are no powers of two: the extremes, and
enum class WeightSearch : uint8_t {
  kAll,         ///< 100 shares of them, 0.2 to 1; the error over all values
  kPercentile,  ///< the two-sided percentiles 99.9, 99.99, 99.999, 99.9999; the error over all values
  kHistCenter,  ///< pairs of centres of up to 2048 bins, from either end inwards; the error over the bins
};

struct WeightRule {
  /// Default: kMinMse for power-of-two scales, whose nearest may cut off up to 29 % of the range, else kMinMax.
  std::optional<WeightMethod> method;
  std::optional<WeightSearch> search;  ///< default: kAll

  WeightMethod method_for(ScaleType type) const {
    return method.value_or(type == ScaleType::kPowerOfTwo ? WeightMethod::kMinMse : WeightMethod::kMinMax);
  }
  bool operator==(const WeightRule&) const = default;
};

/// minmax/minmse, "CalibrationMethod.MinMax", "ExtendedCalibrationMethod.MinMSE"… Errors: kUnknownOption.
Result<WeightMethod> ParseWeightMethod(std::string_view name);
std::vector<std::string> WeightMethodNames();
std::string_view WeightMethodName(WeightMethod method);
/// All/Percentile/HistCenter, the values of Quark's MinMSEModeFloatScale. Errors: kUnknownOption.
Result<WeightSearch> ParseWeightSearch(std::string_view name);
std::vector<std::string> WeightSearchNames();

}  // namespace preon
