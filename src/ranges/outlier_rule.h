// The rule from a tensor's outliers to the method that its distribution calls for; `auto` follows it,
// and whoever gives advice repeats it.
#pragma once

#include <string_view>

#include "ranges/histogram_math.h"
#include "ranges/range_method.h"

namespace preon {

/// The largest |x| over the 99th percentile of |x|: 1 where all values are 0, infinity where only that percentile is.
/// `absolute` is Distribution::Absolute of a tensor with finite values.
double OutlierRatio(const Distribution& absolute);

enum class Outliers { kNone, kFew, kMany };
inline constexpr size_t kOutlierClasses = 3;

Outliers ClassifyOutliers(double outlier_ratio);

/// A method by its name in the registry, with options, and why it is the one, as a clause without a subject.
struct MethodAdvice {
  std::string_view method;
  MethodOptions options;
  std::string_view reason;
};
MethodAdvice AdviceFor(Outliers outliers);

}  // namespace preon
