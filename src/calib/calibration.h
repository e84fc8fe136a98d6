// Calibration: one pass over the data fills a sketch per observed tensor; the result is a file that merges exactly.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "calib/data_source.h"
#include "ir/graph.h"
#include "stats/tensor_sketch.h"

namespace preon {

/// Everything calibration learned; saved as *.calib.
struct CalibrationData {
  std::string model_fingerprint;                 ///< Model::fingerprint of the source model
  std::string setup;                             ///< canonical text of what else must agree to merge (target, preon graph version, mode)
  std::map<std::string, TensorSketch> tensors;   ///< by tensor name
  std::map<std::string, std::string> shared;     ///< tensor -> tensor whose range it shares (moves values only), not observed itself
  std::vector<std::pair<int64_t, int64_t>> samples;   ///< sorted, disjoint runs [first, last) of sample indices seen
  int64_t sample_count() const;
};

struct CalibrateOptions {
  SketchMode mode = SketchMode::kSampled;
  bool optimize = true;       ///< false: runtime's optimizer off
  /// Tensors of which per-channel extremes are kept (channel axis 1).
  std::vector<std::string> per_channel;
};

/// Runs `source` through `model` once. Errors: kDataEmpty, kDataNotFinite (a NaN in an input), kRangeNotFinite (names the
/// tensor and the first sample), kCancelled, whatever the source and the runtime report.
Result<CalibrationData> Calibrate(const Model& model, const std::vector<std::string>& tensors, DataSource& source,
                                  const CalibrateOptions& options, const RunContext& context);

/// Exact and independent of order. Errors: kCalibFileMismatch (another model, other setup, the same samples twice).
Result<CalibrationData> MergeCalibrations(std::vector<CalibrationData> parts);

/// Versioned, checksummed; deterministic bytes. Errors: kIoWrite…; kCalibFileMalformed, kIoRead.
Status SaveCalibration(const CalibrationData& data, const std::string& path);
Result<CalibrationData> LoadCalibration(const std::string& path);

}  // namespace preon
