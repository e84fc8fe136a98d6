// Strata: groups of samples against each other, tensor by tensor.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyze/sample_extents.h"
#include "analyze/sample_groups.h"

namespace preon {

/// One group in one tensor.
struct GroupView {
  Extent extent;
  Coverage by_others;  ///< how far all other groups together reach of it: what a calibration without it would cover
  Coverage of_all;     ///< how far it alone reaches of all samples
  /// The group's largest |x| over the median of its samples' 99th percentiles of |x|; none where that is 0.
  std::optional<double> outlier_ratio;
};

/// One group over all tensors.
struct GroupSummary {
  std::string name;
  size_t samples = 0;
  size_t missed = 0;         ///< tensors with a gap where calibration goes without it
  size_t missing = 0;        ///< tensors with a gap where calibration has nothing else
  double least_covered = 1;  ///< the smallest by_others
};

/// One view per group. @param tensor  place of the tensor in the rows
std::vector<GroupView> CompareGroups(const std::vector<SampleGroup>& groups, const std::vector<SampleRow>& rows,
                                     const SampleExtents& extents, size_t tensor);

}  // namespace preon
