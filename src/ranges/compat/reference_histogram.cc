#include "ranges/compat/reference_histogram.h"

#include <algorithm>
#include <cmath>

#include "ranges/compat/numpy_math.h"

namespace preon::compat {
namespace {

struct Extremes {
  float min, max;
};

Extremes ExtremesOf(std::span<const float> values) {
  const auto [min, max] = std::minmax_element(values.begin(), values.end());
  return {*min, *max};
}

std::vector<float> Magnitudes(std::span<const float> values) {
  std::vector<float> magnitudes(values.size());
  std::transform(values.begin(), values.end(), magnitudes.begin(), [](float x) { return std::abs(x); });
  return magnitudes;
}

// Edges of numpy.histogram with a range: one value is half a unit wide to either side.
std::vector<float> Edges(float first, float last, size_t bins) {
  if (first == last) return Linspace(first - 0.5f, last + 0.5f, bins);
  return Linspace(first, last, bins);
}

template <typename Edge>
void Widen(ReferenceHistogram<Edge>& histogram, const Extremes& extremes) {
  histogram.min = std::min(histogram.min, extremes.min);
  histogram.max = std::max(histogram.max, extremes.max);
}

// The old counts begin `shift` bins after the new first one.
void Shift(std::vector<int64_t>& counts, size_t shift, size_t bins) {
  std::vector<int64_t> moved(bins);
  std::copy(counts.begin(), counts.end(), moved.begin() + static_cast<ptrdiff_t>(shift));
  counts = std::move(moved);
}

}  // namespace

ReferenceHistogram<float> CollectAbsolute(Batches batches, size_t bins) {
  ReferenceHistogram<float> histogram;
  for (const std::span<const float> batch : batches) {
    const std::vector<float> values = Magnitudes(batch);
    const Extremes signed_extremes = ExtremesOf(batch), extremes = ExtremesOf(values);
    if (histogram.edges.empty()) {
      histogram = {std::vector<int64_t>(bins), Edges(extremes.min, extremes.max, bins), signed_extremes.min,
                   signed_extremes.max};
    } else if (extremes.max > histogram.edges.back()) {
      const float width = histogram.edges[1] - histogram.edges[0];
      const std::vector<double> further = Arange(histogram.edges.back() + width, extremes.max + width, width);
      // The batch that brings further edges is counted with them as they are, later ones with them as floats.
      std::vector<double> edges(histogram.edges.begin(), histogram.edges.end());
      edges.insert(edges.end(), further.begin(), further.end());
      histogram.counts.resize(edges.size() - 1);
      Count<double>(values, edges, histogram.counts);
      histogram.edges.assign(edges.begin(), edges.end());
      Widen(histogram, signed_extremes);
      continue;
    }
    Count<float>(values, histogram.edges, histogram.counts);
    Widen(histogram, signed_extremes);
  }
  return histogram;
}

ReferenceHistogram<float> CollectSigned(Batches batches, size_t bins) {
  ReferenceHistogram<float> histogram;
  float reach = 0;
  for (const std::span<const float> batch : batches) {
    const Extremes extremes = ExtremesOf(batch);
    const float needed = std::max(std::abs(extremes.min), std::abs(extremes.max));
    if (histogram.edges.empty()) {
      reach = needed;
      histogram = {std::vector<int64_t>(bins), Edges(-reach, reach, bins), extremes.min, extremes.max};
    } else if (needed > reach && reach == 0) {
      reach = needed;
      histogram.edges = Edges(-reach, reach, histogram.counts.size());
    } else if (needed > reach) {
      const size_t old_bins = histogram.counts.size();
      const float width = 2 * reach / static_cast<float>(old_bins);
      const auto more = static_cast<size_t>(FloorDivide(needed - reach, width) + 1);
      reach = static_cast<float>(more) * width + reach;
      Shift(histogram.counts, more, old_bins + 2 * more);
      histogram.edges = Edges(-reach, reach, histogram.counts.size());
    }
    Count<float>(batch, histogram.edges, histogram.counts);
    Widen(histogram, extremes);
  }
  return histogram;
}

ReferenceHistogram<double> CollectBetweenExtremes(Batches batches, size_t bins) {
  ReferenceHistogram<double> histogram;
  double first = 0, width = 0;
  for (const std::span<const float> batch : batches) {
    const Extremes extremes = ExtremesOf(batch);
    if (histogram.edges.empty()) {
      const double half = extremes.min == extremes.max ? 0.5 : 0;
      first = extremes.min - half;
      width = (extremes.max + half - first) / static_cast<double>(bins);
      histogram = {std::vector<int64_t>(bins), {}, extremes.min, extremes.max};
    } else {
      const double last = first + width * static_cast<double>(histogram.counts.size());
      const double left = std::max(0.0, std::ceil((first - extremes.min) / width));
      const double right = std::max(0.0, std::ceil((extremes.max - last) / width));
      first -= left * width;
      Shift(histogram.counts, static_cast<size_t>(left),
            histogram.counts.size() + static_cast<size_t>(left) + static_cast<size_t>(right));
    }
    Widen(histogram, extremes);
    histogram.edges.resize(histogram.counts.size() + 1);
    for (size_t i = 0; i < histogram.edges.size(); ++i) histogram.edges[i] = first + width * static_cast<double>(i);
    // Rounding must not leave the extremes outside.
    histogram.edges.front() = std::min(histogram.edges.front(), double{histogram.min});
    histogram.edges.back() = std::max(histogram.edges.back(), double{histogram.max});
    Count<double>(batch, histogram.edges, histogram.counts);
  }
  return histogram;
}

}  // namespace preon::compat
