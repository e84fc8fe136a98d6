#include "formats/weight_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "formats/linear_codec.h"
#include "formats/power_of_two_search.h"

namespace preon {
namespace {

/// (x - x')² of one value. Clamping before rounding gives the same codes; the sum with 1.5 · 2^23 rounds to even, and
/// unlike nearbyint it is no call.
class ValueError {
 public:
  ValueError(const QuantParams& params, const IntFormat& format) : scale_(params.scale) {
    const CodeRange codes = CodesInUse(params, format);
    low_ = static_cast<float>(codes.min - params.zero_point);
    high_ = static_cast<float>(codes.max - params.zero_point);
  }
  float Square(float x) const {
    constexpr float kRounder = 12582912;
    const float clamped = std::min(std::max(x / scale_, low_), high_);
    const float error = x - ((clamped + kRounder) - kRounder) * scale_;
    return error * error;
  }

 private:
  float scale_, low_, high_;
};

/// With codes that are values, whose steps grow with them.
double FloatingMeanSquareError(std::span<const float> x, const QuantParams& params, const IntFormat& format) {
  std::vector<float> rounded(x.size());
  const Status done = QuantizeDequantizeTensor({format.type}, ParamLayout::PerTensor(static_cast<int64_t>(x.size())),
                                               {{&params.scale, 1}, {}}, x.data(), rounded.data());
  PREON_CHECK(done.ok());
  double sum = 0;
  for (size_t i = 0; i < x.size(); ++i) sum += (double{rounded[i]} - x[i]) * (double{rounded[i]} - x[i]);
  return x.empty() ? 0 : sum / static_cast<double>(x.size());
}

/// Mean over the values: float lanes over short runs, double above.
double MeanSquareError(std::span<const float> x, const QuantParams& params, const IntFormat& format) {
  if (format.floating()) return FloatingMeanSquareError(x, params, format);
  constexpr size_t kLanes = 8, kRun = 1024;
  const ValueError error(params, format);
  double sum = 0;
  for (size_t begin = 0; begin < x.size(); begin += kRun) {
    const std::span<const float> run = x.subspan(begin, std::min(kRun, x.size() - begin));
    const size_t whole = run.size() / kLanes * kLanes;
    float lanes[kLanes] = {};
    for (size_t i = 0; i < whole; i += kLanes) {
      for (size_t lane = 0; lane < kLanes; ++lane) lanes[lane] += error.Square(run[i + lane]);
    }
    for (size_t i = whole; i < run.size(); ++i) lanes[i - whole] += error.Square(run[i]);
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
    constexpr int kShareSteps = 100;
    for (int step = 0; step <= kShareSteps; ++step) {
      const auto share = static_cast<float>(1 - 0.8 * step / kShareSteps);
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
    for (size_t i = bins / 2; i < bins; ++i) Try({centers[(bins - i) / 2], centers[(bins + i) / 2]});
    // Few bins say little of the extremes, which lie half a bin outside the centres.
    const auto over_values = [&](const Range& range) {
      return MeanSquareError(values_, *ComputeQuantParams(range, format_, scale_type_), format_);
    };
    return over_values(best_) < over_values(extremes_) ? best_ : extremes_;
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
    if (counts_.empty() || format_.floating()) return MeanSquareError(values_, params, format_);
    const ValueError error(params, format_);
    double sum = 0;
    for (size_t bin = 0; bin < counts_.size(); ++bin) sum += counts_[bin] * error.Square(centers_[bin]);
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
