// Coverage: does what calibration saw of a tensor reach as far as what production sees?
#pragma once

#include <optional>

#include "analyze/value_facts.h"
#include "formats/int_format.h"

namespace preon {

/// How far values reach from 0.
struct Extent {
  double min = 0, max = 0;
  double length() const { return max - min; }
  void Widen(double low, double high);
};

/// Calibration's end over production's, per side: 1 where both reach as far, below 1 where production goes beyond.
struct Coverage {
  std::optional<double> max;  ///< none where production has nothing above 0
  std::optional<double> min;  ///< none where production has nothing below 0
  /// The smaller of both; 1 where production is all 0.
  double worst() const;
  /// Production goes beyond by a tenth on one side.
  bool is_gap() const;
};
Coverage CoverageOf(const Extent& calibration, const Extent& production);
Coverage CoverageOf(const ValueFacts& calibration, const ValueFacts& production);

/// How production differs from calibration in one tensor.
struct Shift {
  Coverage coverage;
  double clipped_calibration = 0, clipped_production = 0;  ///< shares of the values outside the range chosen, 0–1
  /// Difference of the means in calibration's deviations, and ratio of the deviations; none for a constant.
  std::optional<double> mean_shift, deviation_ratio;
  /// Worth a look: production goes beyond calibration by a tenth on one side, or the range clips more than one value in
  /// 1000 of production and twice the share of calibration's.
  bool is_gap() const;
};

Shift ShiftBetween(const ValueFacts& calibration, const Distribution& calibration_values, const ValueFacts& production,
                   const Distribution& production_values, const Range& range);

}  // namespace preon
