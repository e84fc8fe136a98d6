// StatisticsRequest: which statistics of which tensors a calibration is to collect.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "stats/tensor_statistic.h"

namespace preon {

/// Statistics beside the sketches, serialized: by kind, then by tensor.
using SerializedStatistics = std::map<std::string, std::map<std::string, std::string>>;
/// Null where there is none.
const std::string* Find(const SerializedStatistics& statistics, std::string_view kind, const std::string& tensor);

/// What range choice and algorithms want to know. Requests add up, and one pass collects the union.
struct StatisticsRequest {
  std::set<std::string> tensors;           ///< get a sketch; those named below are among them
  std::set<std::string> channel_extremes;  ///< minimum and maximum per channel (axis 1)
  std::set<std::string> channel_means;     ///< mean per channel (axis 1)
  std::map<const StatisticKind*, std::set<std::string>> others;

  void Add(const StatisticsRequest& more);
  /// Drops what is about other tensors.
  void RestrictTo(const std::set<std::string>& kept);
  /// Nothing is asked for; a kind in `others` without tensors counts as nothing.
  bool empty() const;
  /// Named anywhere.
  std::set<std::string> AllTensors() const;
  /// The kinds of `others` that the tensor is named in.
  std::vector<const StatisticKind*> KindsOf(const std::string& tensor) const;
  std::vector<const StatisticKind*> Kinds() const;
};

}  // namespace preon
