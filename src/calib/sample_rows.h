// SampleRow: one sample of a calibration that keeps its samples apart: who it was, and what it holds of every tensor.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "data/sample_runs.h"
#include "stats/sample_facts.h"
#include "stats/tensor_sketch.h"
#include "stats/wire.h"

namespace preon {

struct SampleRow {
  int64_t index = 0;  ///< place in the whole stream, before sharding
  std::string name;   ///< as in Batch
  std::optional<int64_t> label;
  /// In the order of CalibrationData::tensors. Of a tensor whose first axis does not hold a run's samples, each of them
  /// has the facts of the whole run.
  std::vector<SampleFacts> tensors;
};

/// Ascending by index, which no two rows share.
void SortRows(std::vector<SampleRow>& rows);

/// The rows' bytes: of each the name, the label, the facts. Their indices are those of `samples` in CalibrationData.
void WriteRows(const std::vector<SampleRow>& rows, WireWriter& out);
/// One row per sample, with facts of every tensor that together reach what the tensor's sketch says.
/// Errors: kCalibFileMalformed.
Result<std::vector<SampleRow>> ReadRows(WireReader& in, const SampleRuns& samples,
                                        const std::map<std::string, TensorSketch>& tensors);

}  // namespace preon
