#include "ranges/outlier_rule.h"

#include <limits>

namespace preon {
namespace {

// Up to here nothing is an outlier, …
constexpr double kNoOutliers = 3;
// … up to here cutting off one value in 10000 is enough. Beyond, the error decides.
constexpr double kFewOutliers = 10;

}  // namespace

double OutlierRatio(const Distribution& absolute) {
  const double usual = absolute.Quantile(0.99), largest = absolute.Quantile(1);
  if (largest <= usual) return 1;
  return usual > 0 ? largest / usual : std::numeric_limits<double>::infinity();
}

Outliers ClassifyOutliers(double outlier_ratio) {
  if (outlier_ratio <= kNoOutliers) return Outliers::kNone;
  return outlier_ratio <= kFewOutliers ? Outliers::kFew : Outliers::kMany;
}

MethodAdvice AdviceFor(Outliers outliers) {
  switch (outliers) {
    case Outliers::kNone:
      return {"minmax", {}, "no outliers: the whole range"};
    case Outliers::kFew:
      return {"percentile", {{"Percentile", "99.99"}}, "few outliers: cut off one value in 10000"};
    case Outliers::kMany:
      return {"layerwise-percentile",
              {{"PercentileCandidates", "99,99.5,99.9,99.95,99.99,99.995,99.999,100"}, {"LWPMetric", "mse"}},
              "far outliers: the percentile with the least square error"};
  }
  PREON_CHECK(false);
}

}  // namespace preon
