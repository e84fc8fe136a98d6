#include "ranges/compat/compat_histogram.h"

#include <algorithm>
#include <cmath>

#include "formats/compat/numpy_math.h"

namespace preon::compat {
namespace {

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
void Widen(CompatHistogram<Edge>& histogram, const Extent& extent) {
  histogram.min = std::min(histogram.min, extent.min);
  histogram.max = std::max(histogram.max, extent.max);
}

// The old counts begin `shift` bins after the new first one.
void Shift(std::vector<int64_t>& counts, size_t shift, size_t bins) {
  std::vector<int64_t> moved(bins);
  std::copy(counts.begin(), counts.end(), moved.begin() + static_cast<ptrdiff_t>(shift));
  counts = std::move(moved);
}

Status CheckBins(double bins) {
  if (bins <= kMostBins) return Status::Ok();
  return Error(ErrorId::kOutOfMemory, "a histogram of ", bins,
               " bins: the first run's values are tiny compared with later ones; "
               "wanted at most ",
               kMostBins)
      .WithHint("change the order of the data, or omit --compat");
}

// There the edges are no numbers.
Status CheckWidth(float reach) {
  if (std::isfinite(2 * reach)) return Status::Ok();
  return Error(ErrorId::kRangeInvalid, "values reach ", reach,
               ": a histogram to both sides is wider than the largest float");
}

}  // namespace

Extent ExtentOf(std::span<const float> values) {
  Extent extent{values[0], values[0], std::abs(values[0]), std::abs(values[0])};
  for (const float value : values) {
    extent.min = std::min(extent.min, value);
    extent.max = std::max(extent.max, value);
    extent.least = std::min(extent.least, std::abs(value));
  }
  extent.most = std::max(std::abs(extent.min), std::abs(extent.max));
  return extent;
}

Extent Widened(const std::optional<Extent>& seen, std::span<const float> values) {
  const Extent extent = ExtentOf(values);
  if (!seen) return extent;
  return {std::min(seen->min, extent.min), std::max(seen->max, extent.max), std::min(seen->least, extent.least),
          std::max(seen->most, extent.most)};
}

Status HistogramOfBatches::Begin(const Extent& extent) {
  const bool absolute = options_.form == HistogramForm::kAbsolute;
  if (!absolute) PREON_RETURN_IF_ERROR(CheckWidth(extent.most));
  reach_ = extent.most;
  histogram_ = {std::vector<int64_t>(options_.bins),
                absolute ? Edges(extent.least, extent.most, options_.bins) : Edges(-reach_, reach_, options_.bins),
                extent.min, extent.max};
  return Status::Ok();
}

void HistogramOfBatches::Add(std::span<const float> batch) {
  if (options_.one_block) {
    seen_ = Widened(seen_, batch);
    return;
  }
  if (!status_.ok()) return;
  const Extent extent = ExtentOf(batch);
  if (histogram_.edges.empty()) status_ = Begin(extent);
  if (!status_.ok()) return;
  status_ = options_.form == HistogramForm::kAbsolute ? AddAbsolute(batch, extent) : AddSigned(batch, extent);
  Widen(histogram_, extent);
}

Result<CompatHistogram<float>> HistogramOfBatches::Finish(const ValueReplay& again) {
  PREON_RETURN_IF_ERROR(status_);
  if (options_.one_block) {
    PREON_RETURN_IF_ERROR(Begin(*seen_));
    PREON_RETURN_IF_ERROR(again([&](std::span<const float> batch) {
      const bool absolute = options_.form == HistogramForm::kAbsolute;
      const std::vector<float> magnitudes = absolute ? Magnitudes(batch) : std::vector<float>();
      Count<float>(absolute ? magnitudes : batch, histogram_.edges, histogram_.counts);
    }));
  }
  return histogram_;
}

Status HistogramOfBatches::AddAbsolute(std::span<const float> batch, const Extent& extent) {
  const std::vector<float> values = Magnitudes(batch);
  if (extent.most <= histogram_.edges.back()) {
    Count<float>(values, histogram_.edges, histogram_.counts);
    return Status::Ok();
  }
  const float width = histogram_.edges[1] - histogram_.edges[0];
  PREON_RETURN_IF_ERROR(CheckBins(static_cast<double>(histogram_.counts.size()) +
                                  double{extent.most - histogram_.edges.back()} / double{width}));
  const std::vector<double> further = Arange(histogram_.edges.back() + width, extent.most + width, width);
  // The batch that brings further edges is counted with them as they are, later ones with them as floats.
  std::vector<double> edges(histogram_.edges.begin(), histogram_.edges.end());
  edges.insert(edges.end(), further.begin(), further.end());
  histogram_.counts.resize(edges.size() - 1);
  Count<double>(values, edges, histogram_.counts);
  histogram_.edges.assign(edges.begin(), edges.end());
  return Status::Ok();
}

Status HistogramOfBatches::AddSigned(std::span<const float> batch, const Extent& extent) {
  if (extent.most > reach_ && reach_ == 0) {
    reach_ = extent.most;
    PREON_RETURN_IF_ERROR(CheckWidth(reach_));
    histogram_.edges = Edges(-reach_, reach_, histogram_.counts.size());
  } else if (extent.most > reach_) {
    const size_t old_bins = histogram_.counts.size();
    const float width = 2 * reach_ / static_cast<float>(old_bins);
    PREON_RETURN_IF_ERROR(CheckBins(static_cast<double>(old_bins) + 2 * double{extent.most - reach_} / double{width}));
    const auto more = static_cast<size_t>(FloorDivide(extent.most - reach_, width) + 1);
    reach_ = static_cast<float>(more) * width + reach_;
    PREON_RETURN_IF_ERROR(CheckWidth(reach_));
    Shift(histogram_.counts, more, old_bins + 2 * more);
    histogram_.edges = Edges(-reach_, reach_, histogram_.counts.size());
  }
  Count<float>(batch, histogram_.edges, histogram_.counts);
  return Status::Ok();
}

void HistogramBetweenExtremes::Add(std::span<const float> batch) {
  if (!status_.ok()) return;
  const Extent extent = ExtentOf(batch);
  if (histogram_.edges.empty()) {
    const double half = extent.min == extent.max ? 0.5 : 0;
    first_ = extent.min - half;
    width_ = (extent.max + half - first_) / static_cast<double>(bins_);
    histogram_ = {std::vector<int64_t>(bins_), {}, extent.min, extent.max};
  } else {
    const double last = first_ + width_ * static_cast<double>(histogram_.counts.size());
    const double left = std::max(0.0, std::ceil((first_ - extent.min) / width_));
    const double right = std::max(0.0, std::ceil((extent.max - last) / width_));
    status_ = CheckBins(static_cast<double>(histogram_.counts.size()) + left + right);
    if (!status_.ok()) return;
    first_ -= left * width_;
    Shift(histogram_.counts, static_cast<size_t>(left),
          histogram_.counts.size() + static_cast<size_t>(left) + static_cast<size_t>(right));
  }
  Widen(histogram_, extent);
  histogram_.edges.resize(histogram_.counts.size() + 1);
  for (size_t i = 0; i < histogram_.edges.size(); ++i) histogram_.edges[i] = first_ + width_ * static_cast<double>(i);
  // Rounding must not leave the extremes outside.
  histogram_.edges.front() = std::min(histogram_.edges.front(), double{histogram_.min});
  histogram_.edges.back() = std::max(histogram_.edges.back(), double{histogram_.max});
  Count<double>(batch, histogram_.edges, histogram_.counts);
}

Result<CompatHistogram<double>> HistogramBetweenExtremes::Finish() const {
  PREON_RETURN_IF_ERROR(status_);
  return histogram_;
}

}  // namespace preon::compat
