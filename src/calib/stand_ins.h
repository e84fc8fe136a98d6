// StandIns: what a calibration would know without some of its samples, so that figures can come from these.
#pragma once

#include <vector>

#include "calib/calibration.h"

namespace preon {

struct StandIns {
  /// What each part of the data (Batch::part) has taught. Two: the second is what was held out, and empty.
  /// More: folds.
  std::vector<CalibrationData> parts;
  std::vector<const StatisticKind*> kinds;  ///< of their statistics

  /// 1 where samples were held out, as many as folds, or 0.
  size_t count() const { return parts.size() < 2 ? 0 : is_folds() ? parts.size() : 1; }
  bool is_folds() const { return parts.size() > 2; }
  /// Without the samples held out, or without this fold. @param index  below count()
  /// Errors: those of MergeCalibrations.
  Result<CalibrationData> Make(size_t index) const;
};

}  // namespace preon
