#include "ranges/histogram_math.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "formats/linear_codec.h"

namespace preon {
namespace {

/// What is averaged over u, everything in steps: r(u) is the code nearest to u.
enum class Moment { kAbsolute, kSquare, kProduct };  // |r(u) - u|, (r(u) - u)², u (r(u) - u)

/// Quantization of u, everything in steps: codes sit on the integers low…high.
class StepError {
 public:
  StepError(double low, double high) : low_(low), high_(high) {}

  /// Mean over values spread evenly between u and v (u <= v).
  template <Moment moment>
  double Mean(double u, double v) const {
    const double width = v - u;
    // Below this the difference of two antiderivatives has no digits left, and the error is as good as constant.
    if (width <= 1e-9 * std::max({1.0, std::abs(u), std::abs(v)})) return At<moment>((u + v) / 2);
    return (Antiderivative<moment>(v) - Antiderivative<moment>(u)) / width;
  }

 private:
  template <Moment moment>
  double At(double u) const {
    const double error = std::clamp(std::nearbyint(u), low_, high_) - u;
    if (moment == Moment::kAbsolute) return std::abs(error);
    return error * (moment == Moment::kSquare ? error : u);
  }

  /// From code to code + t, where that is the code taken.
  template <Moment moment>
  static double Beside(double code, double t) {
    if (moment == Moment::kAbsolute) return t * std::abs(t) / 2;
    return moment == Moment::kSquare ? t * t * t / 3 : -code * t * t / 2 - t * t * t / 3;
  }

  /// From 0 to u: whole steps count the same; past the last code the error grows with the distance.
  template <Moment moment>
  double Antiderivative(double u) const {
    if (u < low_) return Antiderivative<moment>(low_) + Beside<moment>(low_, u - low_);
    if (u > high_) return Antiderivative<moment>(high_) + Beside<moment>(high_, u - high_);
    // From -1/2 to code + t; the part below 0 cancels in every difference.
    const double code = std::nearbyint(u);
    constexpr double kStep = moment == Moment::kAbsolute ? 1.0 / 4 : moment == Moment::kSquare ? 1.0 / 12 : -1.0 / 12;
    return kStep * code + Beside<moment>(code, u - code) - Beside<moment>(code, -0.5);
  }

  double low_, high_;
};

/// Quantization of u, everything in scales, to codes that are values: between two powers of two they are as far apart
/// as integers in steps of their own.
class FloatingError {
 public:
  explicit FloatingError(DataType type) : format_(*MiniFloatOf(type)) {}

  /// Mean over values spread evenly between u and v (u <= v). The codes lie symmetrically around 0.
  template <Moment moment>
  double Mean(double u, double v) const {
    if (u < 0 && v > 0) return (v * Mean<moment>(0, v) - u * Mean<moment>(0, -u)) / (v - u);
    if (u < 0) return Mean<moment>(-v, -u);
    if (v - u <= 1e-9 * v) return PartMean<moment>(u, v);
    double sum = 0;
    for (double from = u; from < v;) {
      const double to = std::min(v, EndOfOctave(from));
      sum += (to - from) * PartMean<moment>(from, to);
      from = to;
    }
    return sum / (v - u);
  }

 private:
  /// Of values in one octave, or all below the smallest normal one, or all above the last octave's start.
  template <Moment moment>
  double PartMean(double u, double v) const {
    const double middle = (u + v) / 2;
    const int exponent = middle > 0 ? std::ilogb(middle) : format_.min_exponent();
    const double step =
        std::ldexp(1.0, std::clamp(exponent, format_.min_exponent(), format_.max_exponent()) - format_.mantissa_bits);
    const double last = format_.largest() / step;
    const double mean = StepError(-last, last).Mean<moment>(u / step, v / step);
    return mean * (moment == Moment::kAbsolute ? step : step * step);
  }

  double EndOfOctave(double u) const {
    if (u >= std::ldexp(1.0, format_.max_exponent())) return std::numeric_limits<double>::infinity();
    const double smallest = std::ldexp(1.0, format_.min_exponent());
    return u < smallest ? smallest : std::ldexp(1.0, std::ilogb(u) + 1);
  }

  MiniFloat format_;
};

/// Mean over all values, in steps to the power of the moment.
template <Moment moment, typename Error>
double MeanOf(const Distribution& values, double scale, const Error& error) {
  double sum = 0;
  for (const Distribution::Bin& bin : values.bins()) {
    sum += bin.count * error.template Mean<moment>(bin.low / scale, bin.high / scale);
  }
  return sum / values.count();
}

template <Moment moment>
double MeanOf(const Distribution& values, const QuantParams& params, const IntFormat& format) {
  if (format.floating()) return MeanOf<moment>(values, params.scale, FloatingError(format.type));
  const CodeRange codes = CodesInUse(params, format);
  const auto zero_point = static_cast<double>(params.zero_point);
  return MeanOf<moment>(
      values, params.scale,
      StepError(static_cast<double>(codes.min) - zero_point, static_cast<double>(codes.max) - zero_point));
}

/// With the error e = x' - x: sin² = 1 - cos² = (E(x²) E(e²) - E(x e)²) / (E(x²) E(x'²)) keeps its digits where the
/// cosine is almost 1.
double CosineDistance(const Distribution& values, const QuantParams& params, const IntFormat& format) {
  const double error = MeanOf<Moment::kSquare>(values, params, format);
  const double product = MeanOf<Moment::kProduct>(values, params, format);
  const double scale = params.scale;
  double square = 0;
  for (const Distribution::Bin& bin : values.bins()) {
    const double low = bin.low / scale, high = bin.high / scale;
    square += bin.count * (low * low + low * high + high * high) / 3;
  }
  square /= values.count();
  if (square == 0) return 0;
  const double dequantized = square + 2 * product + error;
  if (dequantized <= 1e-12 * square) return 1;  // what is left is rounding
  const double sine_square = std::max(0.0, square * error - product * product) / (square * dequantized);
  const double cosine = (square + product) / std::sqrt(square * dequantized);
  return sine_square / (1 + cosine);
}

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

Distribution Distribution::Within(double low, double high) const {
  Distribution kept(*this);
  kept.bins_.clear();
  kept.count_ = 0;
  for (const Bin& bin : bins_) {
    if (bin.high < low || bin.low > high) continue;
    const Bin part{std::max(bin.low, low), std::min(bin.high, high), bin.count};
    const double share = bin.high > bin.low ? (part.high - part.low) / (bin.high - bin.low) : 1;
    if (share <= 0) continue;
    kept.bins_.push_back({part.low, part.high, share * bin.count});
    kept.count_ += share * bin.count;
  }
  return kept;
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
  const double scale = params.scale;
  switch (metric) {
    case ErrorMetric::kMeanAbsolute:
      return scale * MeanOf<Moment::kAbsolute>(values, params, format);
    case ErrorMetric::kMeanSquare:
      return scale * scale * MeanOf<Moment::kSquare>(values, params, format);
    case ErrorMetric::kCosine:
      return CosineDistance(values, params, format);
  }
  PREON_CHECK(false);
}

}  // namespace preon
