// PassParameters: what passes over a finished graph are told that no plan says (lists of passes,
// docs/design/passes.md).
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace preon {

/// Of limit_channel_scales.
struct ScaleFloor {
  double least = 1e-7;      ///< what smaller scales become
  double most_ratio = 1e6;  ///< only where the largest scale of a weight is so many times the smallest
  bool adaptive = false;    ///< the floor is at least the largest scale over most_ratio
  bool adjusts_bias = true;

  bool operator==(const ScaleFloor&) const = default;
};

struct PassParameters {
  std::set<std::string> aligned_types;                        ///< of align_scales: operator types
  std::vector<std::pair<std::string, std::string>> pairless;  ///< of remove_pairs: operator in front, operator behind
  ScaleFloor floor;
  std::set<std::string> nhwc;  ///< of to_nhwc: inputs and outputs; empty: all images

  bool operator==(const PassParameters&) const = default;
};

}  // namespace preon
