#include "ranges/compat/reference_weights.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ranges/compat/numpy_math.h"
#include "ranges/compat/reference_minmse.h"

namespace preon::compat {
namespace {

// Signed codes are always cut to the symmetric ones.
Codes Cut(const IntFormat& format) { return CodesOf({format.type, true, format.reduce_range}); }

int64_t CodeOf(float value, const Params& params, const Codes& cut) {
  return std::clamp(static_cast<int64_t>(std::nearbyint(value / params.scale)) + params.zero_point, cut.min, cut.max);
}

class FloatSearch {
 public:
  FloatSearch(std::span<const float> values, const IntFormat& format) : values_(values), format_(format) {}

  Params Percentiles() {
    const std::vector<float> values(values_.begin(), values_.end());
    for (const double percentile : {99.9, 99.99, 99.999, 99.9999}) {
      const double outside = (100 - percentile) / 2;
      Try({Percentile(values, outside), Percentile(values, 100 - outside)});
    }
    return best_;
  }

  Params Centers(bool score_bins) {
    const size_t bins = std::min<size_t>(2048, values_.size());
    const auto [min, max] = std::minmax_element(values_.begin(), values_.end());
    const bool constant = *min == *max;
    const std::vector<float> edges = Linspace(constant ? *min - 0.5f : *min, constant ? *max + 0.5f : *max, bins);
    std::vector<float> centers(bins);
    for (size_t bin = 0; bin < bins; ++bin) centers[bin] = (edges[bin] + edges[bin + 1]) / 2;
    counts_.assign(bins, 0);
    Count<float>(values_, edges, counts_);
    if (score_bins) scored_ = centers;
    for (size_t i = bins / 2; i < bins; ++i) Try({centers[(bins - i) / 2], centers[(bins + i) / 2]});
    return best_;
  }

 private:
  void Try(const Range& range) {
    const Params params = ParamsOf(range, format_);
    if (std::find(tried_.begin(), tried_.end(), params.scale) != tried_.end()) return;
    tried_.push_back(params.scale);
    const double error = ErrorOf(params);
    if (error >= smallest_) return;
    smallest_ = error;
    best_ = params;
  }

  double ErrorOf(const Params& params) const {
    const Codes cut = Cut(format_);
    const bool bins = !scored_.empty();
    const std::span<const float> values = bins ? std::span<const float>(scored_) : values_;
    double sum = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      const float restored = static_cast<float>(CodeOf(values[i], params, cut) - params.zero_point) * params.scale;
      const double error = restored - values[i];
      sum += (bins ? static_cast<double>(counts_[i]) : 1.0) * error * error;
    }
    return sum;
  }

  const std::span<const float> values_;
  const IntFormat format_;
  std::vector<float> scored_;  ///< centres of bins that stand for the values, with counts_
  std::vector<int64_t> counts_;
  std::vector<float> tried_;
  double smallest_ = std::numeric_limits<double>::infinity();
  Params best_;
};

Params WeightParams(std::span<const float> values, const IntFormat& format, const WeightOptions& options) {
  if (options.method == WeightMethod::kMinMse && options.scale_type == ScaleType::kPowerOfTwo)
    return BestPowerOfTwo(values, format);
  if (options.method == WeightMethod::kMinMse) {
    FloatSearch search(values, format);
    return options.search == WeightSearch::kPercentile ? search.Percentiles()
                                                       : search.Centers(options.search == WeightSearch::kHistCenter);
  }
  const auto [min, max] = std::minmax_element(values.begin(), values.end());
  return ParamsOf({*min, *max}, format, options.scale_type);
}

}  // namespace

ReferenceWeight EncodeWeight(std::span<const float> values, const IntFormat& format, const WeightOptions& options) {
  ReferenceWeight weight{WeightParams(values, format, options), {}};
  const Codes cut = Cut(format);
  for (const float value : values) weight.codes.push_back(CodeOf(value, weight.params, cut));
  return weight;
}

}  // namespace preon::compat
