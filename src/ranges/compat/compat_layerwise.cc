// LayerwisePercentile as Quark computes it.
#include <algorithm>
#include <cmath>

#include "formats/compat/compat_params.h"
#include "formats/compat/numpy_math.h"
#include "ranges/compat/compat_ranges.h"

namespace preon::compat {
namespace {

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

double ErrorOverBins(const CompatHistogram<float>& histogram, const Coder<double>& coder, bool square) {
  double sum = 0, total = 0;
  for (size_t bin = 0; bin < histogram.counts.size(); ++bin) {
    const float centre = (histogram.edges[bin] + histogram.edges[bin + 1]) / 2;
    sum += static_cast<double>(histogram.counts[bin]) * coder.ErrorOf(centre, square);
    total += static_cast<double>(histogram.counts[bin]);
  }
  return total > 0 ? sum / total : 0;
}

class LayerwiseCollector final : public RangeCollector {
 public:
  explicit LayerwiseCollector(const LayerwiseOptions& options)
      : options_(options),
        histogram_({options.symmetric ? HistogramForm::kAbsolute : HistogramForm::kSigned, options.bins}) {}
  void Add(std::span<const float> batch) override { histogram_.Add(batch); }
  bool by_run() const override { return true; }
  bool rereads() const override { return !options_.use_histogram; }

  Result<Range> Finish(const ValueReplay& again) override {
    PREON_ASSIGN_OR_RETURN(const auto histogram, histogram_.Finish(again));
    std::vector<Range> ranges;
    for (const double percentile : options_.candidates)
      ranges.push_back(PercentileOf(histogram, percentile, options_.symmetric));
    std::vector<double> errors(ranges.size());
    if (options_.use_histogram) {
      std::ranges::transform(ranges, errors.begin(), [&](const Range& range) {
        return ErrorOverBins(histogram, Coder<double>(range, options_.type), options_.square);
      });
    } else {
      PREON_RETURN_IF_ERROR(AddErrors(again, ranges, errors));
    }
    return ranges[static_cast<size_t>(std::ranges::min_element(errors) - errors.begin())];  // ties go to the earlier
  }

 private:
  // One mean per batch, summed.
  Status AddErrors(const ValueReplay& again, const std::vector<Range>& ranges, std::vector<double>& errors) const {
    std::vector<Coder<float>> coders;
    for (const Range& range : ranges) coders.emplace_back(range, options_.type);
    std::vector<float> batch_errors;
    return again([&](std::span<const float> batch) {
      for (size_t index = 0; index < coders.size(); ++index) {
        batch_errors.clear();
        for (const float value : batch) {
          const float kept = options_.half_values ? RoundToHalf(value) : value;
          batch_errors.push_back(coders[index].ErrorOf(kept, options_.square));
        }
        errors[index] += PairwiseSum(batch_errors) / static_cast<float>(batch.size());
      }
    });
  }

  LayerwiseOptions options_;
  HistogramOfBatches histogram_;
};

}  // namespace

std::unique_ptr<RangeCollector> CollectLayerwisePercentile(const LayerwiseOptions& options) {
  return std::make_unique<LayerwiseCollector>(options);
}

}  // namespace preon::compat
