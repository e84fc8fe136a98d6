// Kinds of statistics along a tensor's last axis, which a MatMul multiplies with its weight.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>

#include "stats/tensor_statistic.h"

namespace preon {

/// How many rows of `size` values a run has; none where it does not lie in memory as the graph has it, but in blocks of
/// channels, or has another last axis.
std::optional<size_t> LastAxisRows(const ChannelLayout& layout, size_t size);

/// One kind for each size of the axis. Thread-safe.
class LastAxisKinds {
 public:
  using Maker = std::unique_ptr<TensorStatistic> (*)(size_t size);
  /// @param name  in static storage; the kinds add the size to it
  LastAxisKinds(std::string_view name, Maker make) : name_(name), make_(make) {}
  const StatisticKind& Of(int64_t size);

 private:
  std::string_view name_;
  Maker make_;
  std::mutex mutex_;
  std::map<int64_t, std::unique_ptr<StatisticKind>> kinds_;
};

}  // namespace preon
