// Merging one file after the other: only the sum and one part are in memory.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "calib/calibration.h"

namespace preon {

class CalibrationMerger {
 public:
  /// @param kinds  of the statistics beside the sketches that the parts may have
  explicit CalibrationMerger(std::vector<const StatisticKind*> kinds = {}) : kinds_(std::move(kinds)) {}

  /// Errors: those of MergeCalibrations; no part can be added behind one.
  Status Add(CalibrationData part);
  /// The sum, whatever the order of the parts. At least one part.
  CalibrationData Finish();

 private:
  std::vector<const StatisticKind*> kinds_;
  std::optional<CalibrationData> sum_;
};

}  // namespace preon
