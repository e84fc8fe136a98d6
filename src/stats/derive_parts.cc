#include "stats/derive_parts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace preon {
namespace {

// Where f is steep against the bins of the result, a bin of the source is spread over as many as it reaches.
constexpr int kMaxSlices = 64;

float WithoutMinusZero(double value) { return static_cast<float>(value) + 0.0f; }

// A multiple of 2^-200 within the bounds of FixedSum.
double ForFixedSum(double value) {
  const double limit = std::ldexp(1.0, 299);
  return std::ldexp(std::nearbyint(std::ldexp(std::clamp(value, -limit, limit), 200)), -200);
}

// Counts of real-valued amounts, by bin of the result.
class Spread {
 public:
  Spread(const ScalarFunction& function, float min, float max, int width_exponent)
      : function_(function), min_(min), max_(max), inv_width_(std::ldexp(1.0, -width_exponent)) {}

  /// `count` values of the source, spread evenly over [low, high].
  void Add(double low, double high, double count) {
    // Neighbouring bins share an edge.
    const double at_low = low == last_.x ? last_.f : function_(low), at_high = function_(high);
    last_ = {high, at_high};
    const double reach = std::fabs(at_high - at_low) * inv_width_;
    const int slices = static_cast<int>(std::clamp(std::ceil(reach), 1.0, static_cast<double>(kMaxSlices)));
    for (int slice = 0; slice < slices; ++slice)
      AddValue(function_(low + (high - low) * (slice + 0.5) / slices), count / slices);
  }

  /// Whole numbers that add up to `total`, into the histogram; returns the number of zeros.
  uint64_t Round(uint64_t total, TensorHistogram& histogram) const {
    double sum = 0;
    uint64_t given = 0;
    const auto take = [&](double amount) -> uint64_t {
      if (amount == 0) return 0;
      sum += amount;
      const uint64_t until = std::min(total, static_cast<uint64_t>(std::llround(sum)));
      return until - std::exchange(given, until);
    };
    const auto add = [&](bool negative, size_t bin) {
      if (const uint64_t count = take(bins_[negative][bin])) histogram.bulk(negative).Add(bin, count);
    };
    for (size_t bin = kBinsPerSign; bin-- > 0;) add(true, bin);
    const uint64_t zeros = take(zeros_);
    for (size_t bin = 0; bin < kBinsPerSign; ++bin) add(false, bin);
    // What rounding has left over is zero, too, but the extremes occurred.
    const uint64_t left_over = zeros + (total - given);
    const float extreme = max_ > 0 ? max_ : min_;
    if (left_over < total || extreme == 0) return left_over;
    histogram.bulk(extreme < 0).Add(BinOf(extreme), 1);
    return total - 1;
  }

  double sum() const { return sum_; }
  double sum_squares() const { return sum_squares_; }

 private:
  size_t BinOf(double value) const {
    return std::min(kBinsPerSign - 1, static_cast<size_t>(std::fabs(value) * inv_width_));
  }

  void AddValue(double value, double count) {
    value = std::clamp(value, static_cast<double>(min_), static_cast<double>(max_));
    sum_ += value * count;
    sum_squares_ += value * value * count;
    if (value == 0) {
      zeros_ += count;
    } else {
      bins_[value < 0][BinOf(value)] += count;
    }
  }

  struct Point {
    double x, f;
  };

  const ScalarFunction& function_;
  Point last_ = {std::numeric_limits<double>::quiet_NaN(), 0};
  const float min_, max_;
  const double inv_width_;
  std::vector<double> bins_[2] = {std::vector<double>(kBinsPerSign), std::vector<double>(kBinsPerSign)};
  double zeros_ = 0, sum_ = 0, sum_squares_ = 0;
};

// The samples' extremes of f, from those of x: f between a sample's extreme and where the others typically end.
SampleExtremes DeriveSampleExtremes(const SampleExtremes& source, const ScalarFunction& function) {
  const double typical_min = source.min.Median(), typical_max = source.max.Median();
  const auto smallest = [&](double low) { return function.Extremes(low, std::max(low, typical_max)).first; };
  const auto largest = [&](double high) { return function.Extremes(std::min(high, typical_min), high).second; };
  return {source.min.Mapped([&](double low) { return WithoutMinusZero(smallest(low)); }),
          source.max.Mapped([&](double high) { return WithoutMinusZero(largest(high)); })};
}

}  // namespace

void DeriveParts(const SketchParts& source, const Histogram& histogram, const ScalarFunction& function,
                 SketchParts& parts) {
  parts.counts = source.counts;
  parts.moments = {};
  parts.histogram = {};
  parts.sample_extremes = {};
  if (source.counts.finite() == 0) return;
  const double low = static_cast<double>(source.counts.min), high = static_cast<double>(source.counts.max);
  const auto [min, max] = function.Extremes(low, high);
  parts.counts.min = WithoutMinusZero(min);
  parts.counts.max = WithoutMinusZero(max);

  const int width_exponent = TensorHistogram::WidthExponent(parts.counts.max_magnitude());
  parts.histogram.WidenTo(width_exponent);
  Spread spread(function, parts.counts.min, parts.counts.max, width_exponent);
  spread.Add(0, 0, histogram.zeros);
  for (size_t bin = 0; bin < histogram.counts.size(); ++bin) {
    if (histogram.counts[bin] == 0) continue;
    const double begin = histogram.lower_edge + static_cast<double>(bin) * histogram.width;
    spread.Add(std::max(begin, low), std::min(begin + histogram.width, high), histogram.counts[bin]);
  }
  parts.counts.zeros = spread.Round(source.counts.finite(), parts.histogram);
  parts.moments.Add(ForFixedSum(spread.sum()), ForFixedSum(spread.sum_squares()));
  parts.sample_extremes = DeriveSampleExtremes(source.sample_extremes, function);
}

}  // namespace preon
