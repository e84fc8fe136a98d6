#include "calib/stand_ins.h"

#include <utility>

namespace preon {

Result<CalibrationData> StandIns::Make(size_t index) const {
  if (!is_folds()) return parts.front();
  std::vector<CalibrationData> others;
  for (size_t part = 0; part < parts.size(); ++part)
    if (part != index) others.push_back(parts[part]);
  return MergeCalibrations(std::move(others), kinds);
}

}  // namespace preon
