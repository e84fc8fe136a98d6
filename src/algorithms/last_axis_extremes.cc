#include "algorithms/last_axis_extremes.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>

#include "algorithms/last_axis_kinds.h"

namespace preon {
namespace {

class LastAxisStatistic final : public TensorStatistic {
 public:
  explicit LastAxisStatistic(size_t size) : largest_(size) {}

  Status Update(const float* values, const ChannelLayout& layout, const ParallelFor&) override {
    const std::optional<size_t> rows = LastAxisRows(layout, largest_.size());
    if (!rows) largest_.clear();
    for (size_t row = 0; row < rows.value_or(0); ++row, values += largest_.size()) {
      for (size_t i = 0; i < largest_.size(); ++i) {
        const float magnitude = std::abs(values[i]);
        if (magnitude > largest_[i] && std::isfinite(magnitude)) largest_[i] = magnitude;
      }
    }
    return Status::Ok();
  }

  Status Merge(std::string_view serialized) override {
    const std::vector<float> other = ParseLastAxisExtremes(serialized);
    if (other.size() != largest_.size()) {
      largest_.clear();
      return Status::Ok();
    }
    for (size_t i = 0; i < largest_.size(); ++i) largest_[i] = std::max(largest_[i], other[i]);
    return Status::Ok();
  }

  std::string Serialize() const override {
    return {reinterpret_cast<const char*>(largest_.data()), largest_.size() * sizeof(float)};
  }

 private:
  std::vector<float> largest_;  // empty: not known
};

}  // namespace

const StatisticKind& LastAxisExtremes(int64_t size) {
  static LastAxisKinds kinds("last-axis-extremes", [](size_t of) -> std::unique_ptr<TensorStatistic> {
    return std::make_unique<LastAxisStatistic>(of);
  });
  return kinds.Of(size);
}

std::vector<float> ParseLastAxisExtremes(std::string_view serialized) {
  std::vector<float> largest(serialized.size() / sizeof(float));
  std::memcpy(largest.data(), serialized.data(), largest.size() * sizeof(float));
  return largest;
}

}  // namespace preon
