#include "analyze/coverage.h"

#include <algorithm>

#include "analyze/method_ranges.h"

namespace preon {
namespace {

constexpr double kLeastCoverage = 0.9;
constexpr double kClippedShare = 0.001;
constexpr double kClippedFactor = 2;

// Of one side, as positive ends.
std::optional<double> Covered(double calibration, double production) {
  if (production <= 0) return std::nullopt;
  return std::max(calibration, 0.0) / production;
}

}  // namespace

double Coverage::worst() const {
  if (max && min) return std::min(*max, *min);
  return max ? *max : min.value_or(1);
}

void Extent::Widen(double low, double high) {
  min = std::min(min, low);
  max = std::max(max, high);
}

bool Coverage::is_gap() const { return worst() < kLeastCoverage; }

Coverage CoverageOf(const Extent& calibration, const Extent& production) {
  return {.max = Covered(calibration.max, production.max), .min = Covered(-calibration.min, -production.min)};
}

Coverage CoverageOf(const ValueFacts& calibration, const ValueFacts& production) {
  return CoverageOf(Extent{calibration.min, calibration.max}, Extent{production.min, production.max});
}

bool Shift::is_gap() const {
  return coverage.is_gap() ||
         (clipped_production > kClippedShare && clipped_production > kClippedFactor * clipped_calibration);
}

Shift ShiftBetween(const ValueFacts& calibration, const Distribution& calibration_values, const ValueFacts& production,
                   const Distribution& production_values, const Range& range) {
  Shift shift{.coverage = CoverageOf(calibration, production),
              .clipped_calibration = ShareOutside(calibration_values, range),
              .clipped_production = ShareOutside(production_values, range)};
  if (calibration.deviation > 0) {
    shift.mean_shift = (production.mean - calibration.mean) / calibration.deviation;
    shift.deviation_ratio = production.deviation / calibration.deviation;
  }
  return shift;
}

}  // namespace preon
