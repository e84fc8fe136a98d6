// SampleAnalysis: what the samples of a calibration do, one by one and in groups.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyze/convergence.h"
#include "analyze/extreme_drivers.h"
#include "analyze/sample_cover.h"
#include "analyze/strata.h"
#include "calib/calibration.h"

namespace preon {

/// Who a sample is.
struct SampleName {
  int64_t index = 0;  ///< place in the data
  std::string name;
};

/// Of one tensor.
struct TensorSamples {
  Drivers drivers;
  std::vector<double> shares;     ///< RangeGrowth::ShareOf each of Convergence::sizes
  size_t needed = 0;              ///< samples to come within the tolerance
  std::vector<GroupView> groups;  ///< in the order of SampleAnalysis::groups
};

struct SampleAnalysis {
  double tolerance = 0;             ///< share of a range's length
  std::vector<SampleName> samples;  ///< what the indices of samples stand for
  std::vector<SampleShare> drivers;
  Convergence convergence;
  SampleCover cover;
  std::vector<GroupSummary> groups;    ///< empty unless asked for
  std::vector<TensorSamples> tensors;  ///< in the order asked for
};

struct SampleOptions {
  double tolerance = 0.01;
  std::optional<GroupBy> group_by;
};

/// @param data     with rows of samples
/// @param tensors  names in it, at least one
/// Errors: those of GroupSamples.
Result<SampleAnalysis> AnalyzeSamples(const CalibrationData& data, const std::vector<std::string>& tensors,
                                      const SampleOptions& options);

/// The lines of a list for --only: place and name of each sample of the cover, below a comment.
std::string CoverList(const SampleAnalysis& analysis);

}  // namespace preon
