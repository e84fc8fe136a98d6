#include "search/error_cause.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "analyze/value_facts.h"
#include "base/data_type.h"
#include "base/str_cat.h"
#include "formats/int_format.h"
#include "ranges/histogram_math.h"

namespace preon {
namespace {

constexpr double kMuchClipped = 1e-3;   // share of the values
constexpr double kOutliers = 4;         // largest over 99th percentile
constexpr double kFewCodes = 16;        // within two standard deviations to either side
constexpr double kManyDead = 0.1;       // share of the channels
constexpr double kChannelSpread = 16;   // largest channel over the median one
constexpr double kWeightOutliers = 12;  // largest value over the root of the mean square: 4 to 6 are usual
constexpr int kFewBits = 4;

std::string Rounded(double value, double step = 1) { return StrCat(std::round(value / step) * step); }

int BitsOf(const IntFormat& format) { return format.bits > 0 ? format.bits : DataTypeBits(format.type); }

struct ChannelSizes {
  std::vector<double> largest;        // by channel
  double largest_over_deviation = 0;  // the worst channel
};

ChannelSizes SizesOf(const Tensor& weight, int64_t axis) {
  const Shape& shape = weight.shape();
  const auto rank = static_cast<int64_t>(shape.size());
  axis = axis < 0 ? axis + rank : axis;
  int64_t inner = 1;
  for (int64_t i = axis + 1; i < rank; ++i) inner *= shape[static_cast<size_t>(i)];
  const int64_t channels = shape[static_cast<size_t>(axis)];
  ChannelSizes sizes{.largest = std::vector<double>(static_cast<size_t>(channels))};
  std::vector<double> squares(sizes.largest.size());
  const std::span<const float> values = weight.floats();
  for (size_t i = 0; i < values.size(); ++i) {
    const auto channel = static_cast<size_t>(static_cast<int64_t>(i) / inner % channels);
    const double value = values[i];
    sizes.largest[channel] = std::max(sizes.largest[channel], std::abs(value));
    squares[channel] += value * value;
  }
  const double count = static_cast<double>(values.size()) / static_cast<double>(channels);
  for (size_t channel = 0; channel < squares.size(); ++channel)
    if (squares[channel] > 0)
      sizes.largest_over_deviation =
          std::max(sizes.largest_over_deviation, sizes.largest[channel] / std::sqrt(squares[channel] / count));
  return sizes;
}

}  // namespace

std::string CauseOfActivation(const TensorSketch& sketch, const QuantParams& params, const IntFormat& format) {
  const Distribution values = Distribution::Signed(sketch);
  const ValueFacts facts = FactsOf(sketch, values, Distribution::Absolute(sketch));
  const double scale = params.scale;
  const Range range = RepresentableRange(params, format);
  const double clipped = 1 - values.Within(range.min - scale / 2, range.max + scale / 2).count() / values.count();
  if (clipped > kMuchClipped) return StrCat(Rounded(100 * clipped, 0.1), " % of its values are clipped");
  if (facts.outlier_ratio && *facts.outlier_ratio > kOutliers)
    return StrCat("its largest value is ", Rounded(*facts.outlier_ratio), " times the 99th percentile");
  if (const double used = 4 * facts.deviation / scale; used < kFewCodes && facts.deviation > 0)
    return StrCat("most values share ", Rounded(std::max(used, 1.0)), " codes");
  if (const auto& channels = facts.dead_channels;
      channels && static_cast<double>(channels->dead) > kManyDead * static_cast<double>(channels->channels))
    return StrCat(channels->dead, " of ", channels->channels, " channels are constant");
  return "";
}

std::string CauseOfWeight(const Tensor& weight, const WeightPlan& plan) {
  if (plan.block || weight.type() != DataType::kFloat || weight.count() == 0) return "";
  if (BitsOf(plan.format) <= kFewBits) return StrCat("weights of ", BitsOf(plan.format), " bits");
  const bool per_channel = plan.axis >= 0;
  if (weight.shape().size() < 2) return "";
  ChannelSizes sizes = SizesOf(weight, per_channel ? plan.axis : 0);
  if (per_channel) {
    return sizes.largest_over_deviation > kWeightOutliers
               ? StrCat("a weight is ", Rounded(sizes.largest_over_deviation), " times the others of its channel")
               : "";
  }
  const double largest = *std::ranges::max_element(sizes.largest);
  std::ranges::nth_element(sizes.largest, sizes.largest.begin() + std::ssize(sizes.largest) / 2);
  const double median = sizes.largest[sizes.largest.size() / 2];
  if (largest > kChannelSpread * median)
    return median > 0
               ? StrCat("one scale for all channels, the largest ", Rounded(largest / median), " times the median")
               : "one scale for all channels, of very different size";
  return "";
}

}  // namespace preon
