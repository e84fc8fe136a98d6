#include "algorithms/last_axis_extremes.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>

#include "base/text.h"

namespace preon {
namespace {

class LastAxisStatistic final : public TensorStatistic {
 public:
  explicit LastAxisStatistic(size_t size) : largest_(size) {}

  Status Update(const float* values, const ChannelLayout& layout, const ParallelFor&) override {
    const auto count = static_cast<size_t>(layout.samples * layout.outer * layout.channels * layout.inner);
    // Row-major as the graph has it, or in blocks of channels.
    if (layout.block != 1 || (!largest_.empty() && count % largest_.size() != 0)) largest_.clear();
    if (largest_.empty()) return Status::Ok();
    for (size_t row = 0; row < count; row += largest_.size()) {
      for (size_t i = 0; i < largest_.size(); ++i) {
        const float magnitude = std::abs(values[row + i]);
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

class LastAxisKind final : public StatisticKind {
 public:
  explicit LastAxisKind(int64_t size) : size_(size), name_(StrCat("last-axis-extremes-", size)) {}
  std::string_view name() const override { return name_; }
  std::unique_ptr<TensorStatistic> Make() const override {
    return std::make_unique<LastAxisStatistic>(static_cast<size_t>(size_));
  }

 private:
  int64_t size_;
  std::string name_;
};

}  // namespace

const StatisticKind& LastAxisExtremes(int64_t size) {
  static std::mutex mutex;
  static std::map<int64_t, std::unique_ptr<LastAxisKind>> kinds;
  const std::lock_guard lock(mutex);
  std::unique_ptr<LastAxisKind>& kind = kinds[size];
  if (kind == nullptr) kind = std::make_unique<LastAxisKind>(size);
  return *kind;
}

std::vector<float> ParseLastAxisExtremes(std::string_view serialized) {
  std::vector<float> largest(serialized.size() / sizeof(float));
  std::memcpy(largest.data(), serialized.data(), largest.size() * sizeof(float));
  return largest;
}

}  // namespace preon
