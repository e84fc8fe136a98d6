#include "ranges/compat/compat_ranges.h"

#include <algorithm>
#include <cmath>

#include "formats/compat/numpy_math.h"

namespace preon::compat {
namespace {

// The left edge of the first bin whose cumulated share reaches `share`.
float EdgeAt(const CompatHistogram<float>& histogram, const std::vector<double>& cumulated, double share) {
  const auto bin = std::lower_bound(cumulated.begin(), cumulated.end(), share) - cumulated.begin();
  return histogram.edges[static_cast<size_t>(bin)];
}

class MinMaxCollector final : public RangeCollector {
 public:
  explicit MinMaxCollector(const MinMaxOptions& options) : options_(options) {}
  void Add(std::span<const float> batch) override {
    const Extent extent = ExtentOf(batch);
    mins_.push_back(extent.min);
    maxs_.push_back(extent.max);
  }
  bool by_run() const override { return true; }
  Result<Range> Finish(const ValueReplay&) override {
    Range range{*std::min_element(mins_.begin(), mins_.end()), *std::max_element(maxs_.begin(), maxs_.end())};
    const auto count = static_cast<float>(mins_.size());
    if (options_.average) range = {PairwiseSum(mins_) / count, PairwiseSum(maxs_) / count};
    if (!options_.symmetric) return range;
    const float largest = std::max(std::abs(range.min), std::abs(range.max));
    return Range{-largest, largest};
  }

 private:
  MinMaxOptions options_;
  std::vector<float> mins_, maxs_;
};

class PercentileCollector final : public RangeCollector {
 public:
  explicit PercentileCollector(const PercentileOptions& options)
      : options_(options),
        histogram_(
            {options.symmetric ? HistogramForm::kAbsolute : HistogramForm::kSigned, options.bins, options.one_block}) {}
  void Add(std::span<const float> batch) override { histogram_.Add(batch); }
  bool by_run() const override { return true; }
  bool rereads() const override { return histogram_.rereads(); }
  Result<Range> Finish(const ValueReplay& again) override {
    PREON_ASSIGN_OR_RETURN(const auto histogram, histogram_.Finish(again));
    return PercentileOf(histogram, options_.percentile, options_.symmetric);
  }

 private:
  PercentileOptions options_;
  HistogramOfBatches histogram_;
};

class DistributionCollector final : public RangeCollector {
 public:
  explicit DistributionCollector(const DistributionOptions& options)
      : histogram_({HistogramForm::kSigned, options.bins, options.one_block}) {}
  void Add(std::span<const float> batch) override { histogram_.Add(batch); }
  bool by_run() const override { return true; }
  bool rereads() const override { return histogram_.rereads(); }
  Result<Range> Finish(const ValueReplay& again) override {
    PREON_ASSIGN_OR_RETURN(const auto histogram, histogram_.Finish(again));
    return Range{histogram.edges.front(), histogram.edges.back()};
  }

 private:
  HistogramOfBatches histogram_;
};

}  // namespace

Range PercentileOf(const CompatHistogram<float>& histogram, double percentile, bool symmetric) {
  int64_t total = 0;
  for (const int64_t count : histogram.counts) total += count;
  std::vector<double> cumulated;
  double sum = 0;
  for (const int64_t count : histogram.counts)
    cumulated.push_back(sum += static_cast<double>(count) / static_cast<double>(total));
  Range range;
  if (symmetric) {
    range.max = EdgeAt(histogram, cumulated, percentile / 100.0);
    range.min = -range.max;
  } else {
    const double cut = (100.0 - percentile) / 200.0;
    range = {EdgeAt(histogram, cumulated, cut), EdgeAt(histogram, cumulated, 1.0 - cut)};
  }
  // Either end for itself, so that a constant comes out inverted.
  return {std::max(range.min, histogram.min), std::min(range.max, histogram.max)};
}

std::unique_ptr<RangeCollector> CollectMinMax(const MinMaxOptions& options) {
  return std::make_unique<MinMaxCollector>(options);
}

std::unique_ptr<RangeCollector> CollectPercentile(const PercentileOptions& options) {
  return std::make_unique<PercentileCollector>(options);
}

std::unique_ptr<RangeCollector> CollectDistribution(const DistributionOptions& options) {
  return std::make_unique<DistributionCollector>(options);
}

}  // namespace preon::compat
