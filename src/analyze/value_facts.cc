#include "analyze/value_facts.h"

#include <algorithm>
#include <cmath>

#include "ranges/outlier_rule.h"

namespace preon {
namespace {

// Channel means are whole numbers of 2^-20: below this, values that are not 0 may have gone to 0.
constexpr double kLeastMaxForMeans = 1.0 / (1 << 12);

std::optional<DeadChannels> DeadChannelsOf(const TensorSketch& sketch) {
  const std::span<const float> low = sketch.channel_min(), high = sketch.channel_max();
  if (!low.empty()) {
    DeadChannels found{.channels = static_cast<int64_t>(low.size())};
    // Without finite values the minimum is the larger one.
    for (size_t channel = 0; channel < low.size(); ++channel) found.dead += low[channel] >= high[channel];
    return found;
  }
  const std::vector<double> means = sketch.channel_means();
  if (means.empty() || sketch.min() < 0 || sketch.max() < kLeastMaxForMeans) return std::nullopt;
  return DeadChannels{std::ranges::count(means, 0.0), static_cast<int64_t>(means.size())};
}

}  // namespace

// Around the mean, a bin of width w whose middle is d from it adds d² + w²/12 and d³ + d w²/4 per value.
double Skewness(const Distribution& values) {
  double sum = 0;
  for (const auto& bin : values.bins()) sum += bin.count * (bin.low + bin.high) / 2;
  const double mean = sum / values.count();
  double square = 0, cube = 0;
  for (const auto& bin : values.bins()) {
    const double d = (bin.low + bin.high) / 2 - mean, spread = (bin.high - bin.low) * (bin.high - bin.low);
    square += bin.count * (d * d + spread / 12);
    cube += bin.count * d * (d * d + spread / 4);
  }
  const double variance = square / values.count();
  const double skewness = cube / values.count() / (variance * std::sqrt(variance));
  return std::isfinite(skewness) ? skewness : 0;  // a constant, or denormal
}

ValueFacts FactsOf(const TensorSketch& sketch, const Distribution& values, const Distribution& absolute) {
  ValueFacts facts{.samples = sketch.samples(),
                   .count = sketch.count(),
                   .infinities = sketch.inf_count(),
                   .zero_share = static_cast<double>(sketch.zero_count()) / static_cast<double>(sketch.count()),
                   .min = sketch.min(),
                   .max = sketch.max(),
                   .mean = sketch.mean(),
                   .deviation = std::sqrt(sketch.variance()),
                   .skewness = Skewness(values),
                   .usual_largest = absolute.Quantile(0.99),
                   .mean_extremes = sketch.mean_extremes(),
                   .median_extremes = sketch.median_extremes(),
                   .dead_channels = DeadChannelsOf(sketch)};
  const double ratio = OutlierRatio(absolute);
  if (std::isfinite(ratio)) facts.outlier_ratio = ratio;
  return facts;
}

}  // namespace preon
