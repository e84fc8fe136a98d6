// PartialCalibration: what a calibration has learned before it ended, beside its output, for --resume.
#pragma once

#include <optional>
#include <string>

#include "api/options.h"
#include "calib/calibration.h"

namespace preon {

/// The file OUTPUT.partial: a .calib whose setup also names the samples' options, since indices of samples mean nothing
/// without them.
class PartialCalibration {
 public:
  /// @param setup  that of the finished calibration
  PartialCalibration(const Options& options, const std::string& setup);

  /// None where there is no file. Errors: kCalibFileMismatch when it is of another model or other options; those of
  /// LoadCalibration.
  Result<std::optional<CalibrationData>> Load(const std::string& model_fingerprint) const;
  /// Errors: those of SaveCalibration.
  Status Save(CalibrationData so_far) const;
  /// Once the output is there.
  void Remove() const;

 private:
  std::string path_, setup_;
};

}  // namespace preon
