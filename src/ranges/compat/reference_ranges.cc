#include "ranges/compat/reference_ranges.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ranges/compat/numpy_math.h"
#include "ranges/compat/reference_params.h"

namespace preon::compat {
namespace {

// Either end for itself, so that a constant comes out inverted.
Range CutToObserved(Range range, const ReferenceHistogram<float>& histogram) {
  return {std::max(range.min, histogram.min), std::min(range.max, histogram.max)};
}

// The left edge of the first bin whose cumulated share reaches `share`.
float EdgeAt(const ReferenceHistogram<float>& histogram, const std::vector<double>& cumulated, double share) {
  const auto bin = std::lower_bound(cumulated.begin(), cumulated.end(), share) - cumulated.begin();
  return histogram.edges[static_cast<size_t>(bin)];
}

Range PercentileOf(const ReferenceHistogram<float>& histogram, double percentile, bool symmetric) {
  int64_t total = 0;
  for (const int64_t count : histogram.counts) total += count;
  std::vector<double> cumulated;
  double sum = 0;
  for (const int64_t count : histogram.counts)
    cumulated.push_back(sum += static_cast<double>(count) / static_cast<double>(total));
  if (symmetric) {
    const float edge = EdgeAt(histogram, cumulated, percentile / 100.0);
    return CutToObserved({-edge, edge}, histogram);
  }
  const double cut = (100.0 - percentile) / 200.0;
  return CutToObserved({EdgeAt(histogram, cumulated, cut), EdgeAt(histogram, cumulated, 1.0 - cut)}, histogram);
}

// Rounding of one value to codes and back, in Real.
template <typename Real>
class Coder {
 public:
  Coder(const Range& range, DataType type) : params_(ParamsOf(range, IntFormat{type})), codes_(CodesOf({type})) {}
  Real ErrorOf(Real value, bool square) const {
    const auto scale = static_cast<Real>(params_.scale);
    const auto zero_point = static_cast<Real>(params_.zero_point);
    const Real code = std::clamp(std::nearbyint(value / scale + zero_point), static_cast<Real>(codes_.min),
                                 static_cast<Real>(codes_.max));
    const Real error = value - (code - zero_point) * scale;
    return square ? error * error : std::abs(error);
  }

 private:
  Params params_;
  Codes codes_;
};

double ErrorOverBins(const ReferenceHistogram<float>& histogram, const Coder<double>& coder, bool square) {
  double sum = 0, total = 0;
  for (size_t bin = 0; bin < histogram.counts.size(); ++bin) {
    const float centre = (histogram.edges[bin] + histogram.edges[bin + 1]) / 2;
    sum += static_cast<double>(histogram.counts[bin]) * coder.ErrorOf(centre, square);
    total += static_cast<double>(histogram.counts[bin]);
  }
  return total > 0 ? sum / total : 0;
}

double ErrorOverBatches(Batches batches, const Coder<float>& coder, bool square) {
  double sum = 0;
  std::vector<float> errors;
  for (const std::span<const float> batch : batches) {
    errors.clear();
    for (const float value : batch) errors.push_back(coder.ErrorOf(value, square));
    sum += PairwiseSum(errors) / static_cast<float>(batch.size());
  }
  return sum;
}

}  // namespace

Range MinMax(Batches batches, const MinMaxOptions& options) {
  std::vector<float> mins, maxs;
  for (const std::span<const float> batch : batches) {
    const auto [min, max] = std::minmax_element(batch.begin(), batch.end());
    mins.push_back(*min);
    maxs.push_back(*max);
  }
  Range range{*std::min_element(mins.begin(), mins.end()), *std::max_element(maxs.begin(), maxs.end())};
  const auto count = static_cast<float>(batches.size());
  if (options.average) range = {PairwiseSum(mins) / count, PairwiseSum(maxs) / count};
  if (!options.symmetric) return range;
  const float largest = std::max(std::abs(range.min), std::abs(range.max));
  return {-largest, largest};
}

Result<Range> Percentile(Batches batches, const PercentileOptions& options) {
  if (!(options.percentile >= 0 && options.percentile <= 100)) {
    return Error(ErrorId::kBadOptionValue, "Percentile: got ", options.percentile, ", wanted a number from 0 to 100");
  }
  const auto histogram =
      options.symmetric ? CollectAbsolute(batches, options.bins) : CollectSigned(batches, options.bins);
  return PercentileOf(histogram, options.percentile, options.symmetric);
}

Result<Range> LayerwisePercentile(Batches batches, DataType type, const LayerwiseOptions& options) {
  const auto histogram =
      options.symmetric ? CollectAbsolute(batches, options.bins) : CollectSigned(batches, options.bins);
  double smallest = std::numeric_limits<double>::infinity();
  Range best;
  for (const double percentile : options.candidates) {
    const Range range = PercentileOf(histogram, percentile, options.symmetric);
    const double error = options.use_histogram ? ErrorOverBins(histogram, Coder<double>(range, type), options.square)
                                               : ErrorOverBatches(batches, Coder<float>(range, type), options.square);
    if (error >= smallest) continue;  // ties go to the earlier
    smallest = error;
    best = range;
  }
  return best;
}

Result<Range> Distribution(Batches batches, size_t bins) {
  if (bins < 512) return Error(ErrorId::kBadOptionValue, "NumBins: got ", bins, ", wanted at least 512");
  const ReferenceHistogram<float> histogram = CollectSigned(batches, bins);
  return Range{histogram.edges.front(), histogram.edges.back()};
}

}  // namespace preon::compat
