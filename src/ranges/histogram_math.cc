#include "ranges/histogram_math.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace preon {
namespace {

/// Error of quantizing u, everything in steps: codes sit on the integers low…high.
class StepError {
 public:
  StepError(const QuantParams& params, const IntFormat& format, ErrorMetric metric)
      : square_(metric == ErrorMetric::kMeanSquare) {
    const CodeRange codes = CodesInUse(params, format);
    low_ = static_cast<double>(codes.min) - params.zero_point;
    high_ = static_cast<double>(codes.max) - params.zero_point;
  }

  /// Mean over values spread evenly between u and v (u <= v).
  double Mean(double u, double v) const {
    const double width = v - u;
    // Below this the difference of two antiderivatives has no digits left, and the error is as good as constant.
    if (width <= 1e-9 * std::max({1.0, std::abs(u), std::abs(v)})) return At((u + v) / 2);
    return (Antiderivative(v) - Antiderivative(u)) / width;
  }

 private:
  double At(double u) const {
    const double distance = std::abs(u - std::clamp(std::nearbyint(u), low_, high_));
    return square_ ? distance * distance : distance;
  }

  /// Of |t| or t² from 0 to t, t >= 0.
  double Power(double t) const { return square_ ? t * t * t / 3 : t * t / 2; }

  /// Of the error from 0 to u: whole steps count the same; past the last code the error grows with the distance.
  double Antiderivative(double u) const {
    if (u < low_) return Antiderivative(low_) - Power(low_ - u);
    if (u > high_) return Antiderivative(high_) + Power(u - high_);
    const double whole = std::floor(u);
    const double part = u - whole;
    return 2 * Power(0.5) * whole + (part <= 0.5 ? Power(part) : 2 * Power(0.5) - Power(1 - part));
  }

  bool square_;
  double low_, high_;
};

/// The widest part of the bin whose middle is the mean.
Distribution::Bin Around(double mean, const Distribution::Bin& bin) {
  if (bin.count <= 0) return bin;
  mean = std::clamp(mean, bin.low, bin.high);  // rounding
  const double reach = std::min(mean - bin.low, bin.high - mean);
  return {mean - reach, mean + reach, bin.count};
}

}  // namespace

// Bins that list their values one by one become those values; one that lists a part holds the others below that part.
std::vector<Distribution::Bin> Distribution::Magnitudes(const Histogram& histogram, bool positive, bool negative) {
  // Edges are multiples of the width, so bin -1-k mirrors bin k.
  const int64_t first = histogram.width > 0 ? std::llround(histogram.lower_edge / histogram.width) : 0;
  const int64_t end = first + static_cast<int64_t>(histogram.counts.size());
  const auto count_of = [&](int64_t bin) { return bin >= first && bin < end ? histogram.counts[bin - first] : 0.0; };
  const auto mean_of = [&](int64_t bin) {
    return histogram.means.empty() ? (static_cast<double>(bin) + 0.5) * histogram.width : histogram.means[bin - first];
  };
  const double listed_from =
      histogram.points.empty() ? std::numeric_limits<double>::infinity() : histogram.points.front().magnitude;
  std::vector<Bin> bins;
  auto point = histogram.points.begin();
  for (int64_t bin = 0; bin < std::max(end, -first); ++bin) {
    const double low = static_cast<double>(bin) * histogram.width, high = low + histogram.width;
    const double above = positive ? count_of(bin) : 0, below = negative ? count_of(-1 - bin) : 0;
    double count = above + below;
    double sum = (above > 0 ? above * mean_of(bin) : 0) - (below > 0 ? below * mean_of(-1 - bin) : 0);
    const size_t others = bins.size();
    bins.push_back({});
    for (; point != histogram.points.end() && point->magnitude < high; ++point) {
      const double here = (positive ? point->positive : 0) + (negative ? point->negative : 0);
      bins.push_back({point->magnitude, point->magnitude, here});
      count -= here;
      sum -= here * point->magnitude;
    }
    bins[others] = Around(sum / count, {low, std::min(high, listed_from), count});
  }
  return bins;
}

void Distribution::Add(Bin bin, double min, double max) {
  if (bin.count <= 0) return;
  bins_.push_back({std::clamp(bin.low, min, max), std::clamp(bin.high, min, max), bin.count});
}

Distribution Distribution::Signed(const TensorSketch& sketch) {
  const Histogram histogram = sketch.ReadHistogram();
  Distribution values(sketch);
  const std::vector<Bin> negative = Magnitudes(histogram, false, true);
  for (auto bin = negative.rbegin(); bin != negative.rend(); ++bin)
    values.Add({0 - bin->high, 0 - bin->low, bin->count}, sketch.min(), sketch.max());
  values.Add({0, 0, histogram.zeros}, 0, 0);
  for (const Bin& bin : Magnitudes(histogram, true, false)) values.Add(bin, sketch.min(), sketch.max());
  return values;
}

Distribution Distribution::Absolute(const TensorSketch& sketch) {
  const Histogram histogram = sketch.ReadHistogram();
  const double min = sketch.min(), max = sketch.max();
  const double largest = std::max(std::abs(min), std::abs(max));
  const double smallest = min > 0 ? min : max < 0 ? -max : 0;
  Distribution values(sketch);
  values.Add({0, 0, histogram.zeros}, 0, 0);
  for (const Bin& bin : Magnitudes(histogram, true, true)) values.Add(bin, smallest, largest);
  return values;
}

double Distribution::OrderStatistic(double rank, bool from_top) const {
  const double bottom = bins_.front().low, top = bins_.back().high;
  if (rank <= 0) return from_top ? top : bottom;
  if (rank >= count_ - 1) return from_top ? bottom : top;
  double passed = 0;
  for (size_t i = 0; i < bins_.size(); ++i) {
    const Bin& bin = bins_[from_top ? bins_.size() - 1 - i : i];
    if (rank < passed + bin.count) {
      const double share = std::min(1.0, (rank - passed + 0.5) / bin.count);
      return from_top ? std::lerp(bin.high, bin.low, share) : std::lerp(bin.low, bin.high, share);
    }
    passed += bin.count;
  }
  return from_top ? bottom : top;
}

double Distribution::Quantile(double quantile) const {
  PREON_CHECK(!bins_.empty());
  // Ranks count from the nearer end: the counts of the tails are integers, but sums over the estimated bulk of a
  // sampled sketch are rounded.
  const bool from_top = quantile > 0.5;
  const double rank = (from_top ? 1 - quantile : quantile) * (count_ - 1);
  const double whole = std::floor(rank);
  return std::lerp(OrderStatistic(whole, from_top), OrderStatistic(whole + 1, from_top), rank - whole);
}

double ExpectedQuantizationError(const Distribution& values, const QuantParams& params, const IntFormat& format,
                                 ErrorMetric metric) {
  if (values.bins().empty()) return 0;
  const StepError error(params, format, metric);
  const double scale = params.scale;
  double sum = 0;
  for (const Distribution::Bin& bin : values.bins()) sum += bin.count * error.Mean(bin.low / scale, bin.high / scale);
  return sum / values.count() * (metric == ErrorMetric::kMeanSquare ? scale * scale : scale);
}

}  // namespace preon
