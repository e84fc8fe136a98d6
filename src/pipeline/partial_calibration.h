// PartialCalibration: what a calibration has learned before it was interrupted, beside its output, for --resume.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/context.h"
#include "calib/calibration.h"
#include "config/options.h"

namespace preon {

/// The file OUTPUT.partial, and with workers the folder OUTPUT.partial.workers with a file for each: .calib files whose
/// setup also names the samples' options, since indices of samples mean nothing without them. A worker's output is such
/// a file itself.
class PartialCalibration {
 public:
  /// @param output  of the calibration that may be interrupted
  PartialCalibration(const DataOptions& data, const CalibrationOptions& calibration, const std::string& output);

  /// What its files must agree on: the setup of the finished calibration, and the samples as they are now. Goes before
  /// loading and saving. Errors: kCalibFileMismatch where another kind of file has the name.
  Status Describe(const std::string& setup);

  /// All that is known: none where there is no file. What workers left goes into OUTPUT.partial, and the folder goes.
  /// Errors: kCalibFileMismatch when a file is of another model or other options; those of Load- and SaveCalibration.
  /// @param kinds  of the statistics that algorithms ask for
  Result<std::optional<CalibrationData>> Load(const std::string& model_fingerprint,
                                              const std::vector<const StatisticKind*>& kinds) const;
  /// A file of a worker or of Save. Errors: as Load.
  Result<CalibrationData> LoadFile(const std::string& path, const std::string& model_fingerprint) const;
  /// Errors: those of SaveCalibration.
  Status Save(CalibrationData so_far) const;
  /// There is something to go on from.
  bool Exists() const;
  /// Drops what an earlier run left, with a warning.
  void StartAnew(const RunContext& context) const;
  /// Once the output is there, or never will be. A file of the name that is something else stays.
  void Remove() const;

  const std::string& path() const { return path_; }
  std::string workers_folder() const { return path_ + ".workers"; }

 private:
  void RemoveWorkersFolder() const;

  const DataOptions& data_;
  const CalibrationOptions& calibration_;
  std::string path_, setup_;
};

}  // namespace preon
