#include "formats/weight_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "formats/power_of_two_search.h"

namespace preon {
namespace {

/// Mean square of x - x' over the values: float lanes over short runs, double above. Clamping before rounding gives the
/// same codes; the sum with 1.5 · 2^23 rounds to even, and unlike nearbyint the compiler makes vectors of it.
double MeanSquareError(std::span<const float> x, const QuantParams& params, const IntFormat& format) {
  constexpr float kRounder = 12582912;
  constexpr size_t kLanes = 8, kRun = 1024;
  const CodeRange codes = CodesInUse(params, format);
  const auto low = static_cast<float>(codes.min - params.zero_point);
  const auto high = static_cast<float>(codes.max - params.zero_point);
  const float scale = params.scale;
  const auto square = [&](float value) {
    const float clamped = std::min(std::max(value / scale, low), high);
    const float error = value - ((clamped + kRounder) - kRounder) * scale;
    return error * error;
  };
  double sum = 0;
  for (size_t begin = 0; begin < x.size(); begin += kRun) {
    const std::span<const float> run = x.subspan(begin, std::min(kRun, x.size() - begin));
    const size_t whole = run.size() / kLanes * kLanes;
    float lanes[kLanes] = {};
    for (size_t i = 0; i < whole; i += kLanes) {
      for (size_t lane = 0; lane < kLanes; ++lane) lanes[lane] += square(run[i + lane]);
    }
    for (size_t i = whole; i < run.size(); ++i) lanes[i - whole] += square(run[i]);
    for (const float lane : lanes) sum += lane;
  }
  return x.empty() ? 0 : sum / static_cast<double>(x.size());
}

/// numpy.percentile of sorted values.
float Percentile(std::span<const float> sorted, double percentile) {
  const double rank = percentile / 100 * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(rank);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return static_cast<float>(std::lerp(double{sorted[below]}, double{sorted[above]}, rank - std::floor(rank)));
}

/// One channel's search.
class Search {
 public:
  Search(std::span<const float> values, const Range& extremes, const IntFormat& format, ScaleType scale_type)
      : values_(values), extremes_(extremes), format_(format), scale_type_(scale_type), best_(extremes) {}

  Range PowerOfTwo() const {
    const QuantParams observed = *ComputeQuantParams(extremes_, format_, scale_type_);
    const auto error = [&](const QuantParams& params) { return MeanSquareError(values_, params, format_); };
    return BestPowerOfTwoRange(observed, format_, error);
  }

  Range Shares() {
    constexpr int kSteps = 100;
    for (int step = 0; step <= kSteps; ++step) {
      const auto share = static_cast<float>(1 - 0.8 * step / kSteps);
      Try({share * extremes_.min, share * extremes_.max});
    }
    return best_;
  }

  Range Percentiles() {
    std::vector<float> sorted(values_.begin(), values_.end());
    std::sort(sorted.begin(), sorted.end());
    Try(extremes_);
    for (const double percentile : {99.9, 99.99, 99.999, 99.9999}) {
      const double outside = (100 - percentile) / 2;
      Try({Percentile(sorted, outside), Percentile(sorted, 100 - outside)});
    }
    return best_;
  }

  Range Centers() {
    const size_t bins = std::min<size_t>(2048, values_.size());
    const double width = (double{extremes_.max} - extremes_.min) / static_cast<double>(bins);
    if (width <= 0) return extremes_;
    std::vector<double> counts(bins);
    for (const float x : values_) {
      const auto bin = static_cast<size_t>((double{x} - extremes_.min) / width);
      ++counts[std::min(bin, bins - 1)];
    }
    std::vector<float> centers(bins);
    for (size_t bin = 0; bin < bins; ++bin)
      centers[bin] = static_cast<float>(extremes_.min + (static_cast<double>(bin) + 0.5) * width);
    centers_ = centers;
    counts_ = counts;
    Try(extremes_);
    for (size_t i = bins / 2; i < bins; ++i) Try({centers[(bins - i) / 2], centers[(bins + i) / 2]});
    return best_;
  }

 private:
  /// Ties go to what was tried first.
  void Try(const Range& range) {
    const Result<QuantParams> params = ComputeQuantParams(range, format_, scale_type_);
    if (*params == last_) return;
    last_ = *params;
    const double error = ErrorOf(*params);
    if (error >= smallest_) return;
    smallest_ = error;
    best_ = range;
  }

  double ErrorOf(const QuantParams& params) const {
    if (counts_.empty()) return MeanSquareError(values_, params, format_);
    double sum = 0;
    for (size_t bin = 0; bin < counts_.size(); ++bin)
      sum += counts_[bin] * MeanSquareError(std::span(centers_).subspan(bin, 1), params, format_);
    return sum / static_cast<double>(values_.size());
  }

  const std::span<const float> values_;
  const Range extremes_;
  const IntFormat format_;
  const ScaleType scale_type_;
  std::vector<float> centers_;  ///< what stands for the values, with
  std::vector<double> counts_;  ///< how many each; empty: the values themselves
  QuantParams last_{0, 0};
  double smallest_ = std::numeric_limits<double>::infinity();
  Range best_;
};

}  // namespace

Range LeastErrorRange(std::span<const float> values, const Range& extremes, const IntFormat& format,
                      ScaleType scale_type, WeightSearch search) {
  Search channel(values, extremes, format, scale_type);
  if (scale_type == ScaleType::kPowerOfTwo) return channel.PowerOfTwo();
  switch (search) {
    case WeightSearch::kAll:
      return channel.Shares();
    case WeightSearch::kPercentile:
      return channel.Percentiles();
    case WeightSearch::kHistCenter:
      return channel.Centers();
  }
  PREON_CHECK(false);
}

}  // namespace preon
