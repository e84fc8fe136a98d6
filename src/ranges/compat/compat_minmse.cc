// MinMSE with power-of-two scales as Quark computes it.
#include <algorithm>
#include <cmath>
#include <map>

#include "formats/compat/compat_power_of_two.h"
#include "formats/compat/numpy_math.h"
#include "ranges/compat/compat_ranges.h"

namespace preon::compat {
namespace {

// As a C cast on x86-64: what does not fit is the smallest integer.
int64_t ToInt32(float value) {
  return value >= -0x1p31f && value < 0x1p31f ? static_cast<int64_t>(value) : int64_t{INT32_MIN};
}

std::span<const float> Kept(std::span<const float> batch, bool half_values, std::vector<float>& halves) {
  if (!half_values) return batch;
  halves.resize(batch.size());
  std::ranges::transform(batch, halves.begin(), RoundToHalf);
  return halves;
}

class OverBins final : public RangeCollector {
 public:
  OverBins(size_t bins, DataType type) : type_(type), histogram_(bins) {}
  void Add(std::span<const float> batch) override { histogram_.Add(batch); }
  bool by_run() const override { return true; }

  Result<Range> Finish(const ValueReplay&) override {
    PREON_ASSIGN_OR_RETURN(const CompatHistogram<double> histogram, histogram_.Finish());
    const auto candidates = CandidatesAround({histogram.min, histogram.max}, {type_, true});
    const auto [q_min, q_max] = CodesOf(candidates.format);
    CandidateErrors errors{};
    for (size_t index = 0; index < errors.size(); ++index) {
      const float scale = candidates.scales[index];
      for (size_t bin = 0; bin < histogram.counts.size(); ++bin) {
        const auto centre = static_cast<float>((histogram.edges[bin] + histogram.edges[bin + 1]) / 2);
        const int64_t code = std::clamp(ToInt32(std::nearbyint(centre / scale)) + candidates.zero_point, q_min, q_max);
        const double difference =
            static_cast<double>(centre) - static_cast<double>(code - candidates.zero_point) * double{scale};
        errors[index] += static_cast<double>(histogram.counts[bin]) * difference * difference;
      }
    }
    return BestOf(candidates, errors).range;
  }

 private:
  const DataType type_;
  HistogramBetweenExtremes histogram_;
};

class OverValues final : public RangeCollector {
 public:
  explicit OverValues(const MinMseOptions& options) : options_(options) {}
  void Add(std::span<const float> batch) override {
    seen_ = Widened(seen_, Kept(batch, options_.half_values, halves_));
  }
  bool by_run() const override { return true; }
  bool rereads() const override { return true; }

  Result<Range> Finish(const ValueReplay& again) override {
    const auto candidates = CandidatesAround({seen_->min, seen_->max}, {options_.type, options_.symmetric});
    CandidateErrors errors{};
    PREON_RETURN_IF_ERROR(again([&](std::span<const float> batch) {
      AddSquareErrors(Kept(batch, options_.half_values, halves_), candidates, errors);
    }));
    return BestOf(candidates, errors).range;
  }

 private:
  MinMseOptions options_;
  std::optional<Extent> seen_;
  std::vector<float> halves_;
};

PowerOfTwoChoice BestOfValues(std::span<const float> values, const IntFormat& format) {
  const Extent extent = ExtentOf(values);
  const auto candidates = CandidatesAround({extent.min, extent.max}, format);
  CandidateErrors errors{};
  AddSquareErrors(values, candidates, errors);
  return BestOf(candidates, errors);
}

class MostCommon final : public RangeCollector {
 public:
  explicit MostCommon(const IntFormat& format) : format_(format) {}
  void Add(std::span<const float> batch) override {
    const PowerOfTwoChoice choice = BestOfValues(batch, format_);
    Votes& votes = votes_[choice.params.scale];
    ++votes.count;
    votes.last = choice.range;
  }
  bool by_run() const override { return true; }

  Result<Range> Finish(const ValueReplay&) override {
    return std::ranges::max_element(votes_, {}, [](const auto& entry) { return entry.second.count; })->second.last;
  }

 private:
  struct Votes {
    int64_t count = 0;
    Range last;
  };
  IntFormat format_;
  std::map<float, Votes> votes_;  // ascending: ties go to the smallest scale
};

class InsidePercentile final : public RangeCollector {
 public:
  explicit InsidePercentile(const MinMseOptions& options) : options_(options) {}
  void Add(std::span<const float>) override {}
  bool by_run() const override { return true; }
  bool rereads() const override { return true; }

  Result<Range> Finish(const ValueReplay& again) override {
    std::vector<float> values, halves;
    PREON_RETURN_IF_ERROR(again([&](std::span<const float> batch) {
      const std::span<const float> kept = Kept(batch, options_.half_values, halves);
      values.insert(values.end(), kept.begin(), kept.end());
    }));
    float low, high;
    if (options_.symmetric) {
      std::vector<float> magnitudes(values);
      for (float& value : magnitudes) value = std::abs(value);
      high = Percentile(std::move(magnitudes), options_.percentile);
      low = -high;
    } else {
      const double outside = (100 - options_.percentile) / 2;
      low = Percentile(values, outside);
      high = Percentile(values, 100 - outside);
    }
    std::erase_if(values, [&](float value) { return value < low || value > high; });
    if (values.empty()) {  // two percentiles between the same two values
      return Error(ErrorId::kRangeMissing, "no value lies between the percentiles; wanted a larger Percentile");
    }
    return BestOfValues(values, {options_.type, options_.symmetric}).range;
  }

 private:
  MinMseOptions options_;
};

}  // namespace

std::unique_ptr<RangeCollector> CollectMinMse(const MinMseOptions& options) {
  switch (options.mode) {
    case MinMseMode::kHistogram:
      return std::make_unique<OverBins>(options.bins, options.type);
    case MinMseMode::kValues:
      return std::make_unique<OverValues>(options);
    case MinMseMode::kMostCommon:
      return std::make_unique<MostCommon>(IntFormat{options.type, options.symmetric});
    case MinMseMode::kPercentile:
      return std::make_unique<InsidePercentile>(options);
  }
  PREON_CHECK(false);
}

}  // namespace preon::compat
