// The reader of .calib files and the merge of what it let through.
#include "calib/calibration.h"
#include "fuzz.h"

namespace preon {

void FuzzOne(const std::string& path) {
  Result<CalibrationData> data = LoadCalibration(path);
  if (!data.ok()) return;
  for (const auto& [name, sketch] : data->tensors) (void)sketch.ReadHistogram().total();
  std::vector<CalibrationData> parts;
  parts.push_back(*data);
  (void)MergeCalibrations(std::move(parts)).ok();
}

}  // namespace preon
