#include "formats/compat/compat_weights.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <limits>

#include "formats/axis_view.h"
#include "formats/bias_codes.h"
#include "formats/compat/compat_power_of_two.h"
#include "formats/compat/numpy_math.h"

namespace preon::compat {
namespace {

class FloatSearch {
 public:
  FloatSearch(std::span<const float> values, const IntFormat& format) : values_(values), format_(format) {}

  QuantParams Percentiles() {
    const std::vector<float> values(values_.begin(), values_.end());
    for (const double percentile : {99.9, 99.99, 99.999, 99.9999}) {
      const double outside = (100 - percentile) / 2;
      Try({Percentile(values, outside), Percentile(values, 100 - outside)});
    }
    return best_;
  }

  QuantParams Centers(bool score_bins) {
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
    const QuantParams params = *QuantParamsOf(range, format_, ScaleType::kFloat32, Compat::kQuark);
    if (std::find(tried_.begin(), tried_.end(), params.scale) != tried_.end()) return;
    tried_.push_back(params.scale);
    const double error = ErrorOf(params);
    if (error >= smallest_) return;
    smallest_ = error;
    best_ = params;
  }

  double ErrorOf(const QuantParams& params) const {
    const Codes cut = WeightCodes(format_, Compat::kQuark);
    const bool bins = !scored_.empty();
    const std::span<const float> values = bins ? std::span<const float>(scored_) : values_;
    double sum = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      const float restored = static_cast<float>(WeightCode(values[i], params, cut) - params.zero_point) * params.scale;
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
  QuantParams best_;
};

QuantParams BestPowerOfTwo(std::span<const float> values, const Range& extremes, const IntFormat& format) {
  const auto candidates = CandidatesAround(extremes, format);
  CandidateErrors errors{};
  AddSquareErrors(values, candidates, errors);
  const Params best = BestOf(candidates, errors).params;
  return {best.scale, best.zero_point};
}

// Of one slice.
Result<QuantParams> ParamsOfSlice(std::span<const float> values, const Range& extremes, const IntFormat& format,
                                  const WeightOptions& options) {
  if (options.method == WeightMethod::kMinMax || options.range || values.empty())
    return QuantParamsOf(options.range.value_or(extremes), format, options.scale_type, options.tool);
  if (options.scale_type == ScaleType::kPowerOfTwo) return BestPowerOfTwo(values, extremes, format);
  FloatSearch search(values, format);
  return options.search == WeightSearch::kPercentile ? search.Percentiles()
                                                     : search.Centers(options.search == WeightSearch::kHistCenter);
}

template <typename T>
Tensor Encode(const Tensor& values, const AxisView& view, std::span<const QuantParams> params, const Codes& cut,
              DataType type) {
  Tensor codes = Tensor::Allocate(type, values.shape());
  const float* x = values.floats().data();
  T* out = codes.Mutable<T>().data();
  for (int64_t run = 0; run < view.outer * view.channels; ++run) {
    const QuantParams& of_channel = params[static_cast<size_t>(run % view.channels)];
    for (int64_t i = 0; i < view.inner; ++i) *out++ = static_cast<T>(WeightCode(*x++, of_channel, cut));
  }
  return codes;
}

}  // namespace

Codes WeightCodes(const IntFormat& format, Compat tool) {
  if (tool == Compat::kQuark) return CodesOf({format.type, true, format.reduce_range});
  return CodesOf({format.type});
}

int64_t WeightCode(float value, const QuantParams& params, const Codes& cut) {
  return std::clamp(static_cast<int64_t>(std::nearbyint(value / params.scale)) + params.zero_point, cut.min, cut.max);
}

Result<std::vector<QuantParams>> WeightParams(const Tensor& values, int axis, const IntFormat& format,
                                              const WeightOptions& options) {
  PREON_ASSIGN_OR_RETURN(const std::vector<Range> extremes, WeightRanges(values, axis));
  PREON_ASSIGN_OR_RETURN(const AxisView view, ViewAlong(values.shape(), axis));
  const std::span<const float> all = values.floats();
  std::vector<float> slice(static_cast<size_t>(view.outer * view.inner));
  std::vector<QuantParams> params;
  for (int64_t channel = 0; channel < view.channels; ++channel) {
    for (int64_t outer = 0; outer < view.outer; ++outer) {
      const auto from = static_cast<size_t>((outer * view.channels + channel) * view.inner);
      std::ranges::copy(all.subspan(from, static_cast<size_t>(view.inner)), slice.begin() + outer * view.inner);
    }
    PREON_ASSIGN_OR_RETURN(params.emplace_back(),
                           ParamsOfSlice(slice, extremes[static_cast<size_t>(channel)], format, options));
  }
  return params;
}

Result<EncodedTensor> EncodeWeight(const Tensor& values, std::vector<QuantParams> params, int axis,
                                   const IntFormat& format, Compat tool) {
  PREON_ASSIGN_OR_RETURN(const AxisView view, ViewAlong(values.shape(), axis));
  if (static_cast<int64_t>(params.size()) != view.channels) {
    return Error(ErrorId::kQuantizeFailed, params.size(), " scales for ", view.channels, " channels along axis ", axis);
  }
  const Codes cut = WeightCodes(format, tool);
  Tensor codes;
  switch (format.type) {
    case DataType::kInt8:
      codes = Encode<int8_t>(values, view, params, cut, format.type);
      break;
    case DataType::kUInt8:
      codes = Encode<uint8_t>(values, view, params, cut, format.type);
      break;
    case DataType::kInt16:
      codes = Encode<int16_t>(values, view, params, cut, format.type);
      break;
    case DataType::kUInt16:
      codes = Encode<uint16_t>(values, view, params, cut, format.type);
      break;
    case DataType::kInt32:
      codes = Encode<int32_t>(values, view, params, cut, format.type);
      break;
    default:
      return Error(ErrorId::kNotYetSupported, "constants can't be encoded as ", DataTypeName(format.type),
                   " in this version; it has: int8, uint8, int16, uint16");
  }
  return EncodedTensor{std::move(codes), std::move(params), axis};
}

void EnlargeForBias(std::span<const float> bias, float input_scale, std::vector<QuantParams>& weight_params) {
  if (std::ranges::any_of(weight_params, [](const QuantParams& params) { return params.zero_point != 0; })) return;
  constexpr double kCodes = 2.0 * std::numeric_limits<int32_t>::max();
  for (size_t channel = 0; channel < weight_params.size(); ++channel) {
    const std::span<const float> covered = weight_params.size() == 1 ? bias : bias.subspan(channel, 1);
    float largest = 0;
    for (const float value : covered) largest = std::max(largest, std::abs(value));
    // With a scale per channel they multiply in float, else in double.
    const double reach =
        weight_params.size() == 1 ? 1.0001 * (2.0 * static_cast<double>(largest)) : double{1.0001f * (2.0f * largest)};
    const double smallest = reach / kCodes;
    float& scale = weight_params[channel].scale;
    const double wanted = static_cast<double>(input_scale) * static_cast<double>(scale);
    if (wanted < smallest && wanted > 0) scale = static_cast<float>(static_cast<double>(scale) * (smallest / wanted));
  }
}

Result<EncodedBias> EncodeBias(std::span<const float> bias, float input_scale,
                               std::span<const QuantParams> weight_params, float beta) {
  PREON_RETURN_IF_ERROR(CheckScaleCount(bias.size(), weight_params));
  for (size_t channel = 0; channel < bias.size(); ++channel) {
    if (!std::isfinite(bias[channel]))
      return Error(ErrorId::kRangeNotFinite, "bias of channel ", channel, " is ", bias[channel]);
  }
  std::vector<float> scales;
  for (const QuantParams& params : weight_params) {
    const float scale = input_scale * params.scale * beta;
    scales.push_back(scale == 0 ? FLT_MIN : scale);  // there it would be 0, and the codes undefined
  }
  return CodesAtScales(std::vector<double>(bias.begin(), bias.end()), std::move(scales));
}

void AdjustBias(float input_scale, std::span<const QuantParams> weight_params, EncodedBias& bias) {
  std::vector<float> scales;
  for (const QuantParams& params : weight_params) scales.push_back(input_scale * params.scale);
  for (size_t channel = 0; channel < scales.size(); ++channel) {
    if (scales[channel] == bias.scales[channel]) return;
  }
  Tensor codes = Tensor::Allocate(DataType::kInt32, bias.codes.shape());
  const std::span<int32_t> adjusted = codes.Mutable<int32_t>();
  for (size_t index = 0; index < adjusted.size(); ++index) {
    const size_t channel = scales.size() == 1 ? 0 : index;
    const double code =
        double{static_cast<double>(bias.codes.As<int32_t>()[index]) * bias.scales[channel]} / scales[channel];
    adjusted[index] = static_cast<int32_t>(std::clamp(code, double{INT32_MIN}, double{INT32_MAX}));
  }
  bias.codes = std::move(codes);
  bias.scales = std::move(scales);
}

}  // namespace preon::compat
