// int32 biases of Conv, Gemm and MatMul.
#include <algorithm>
#include <cfloat>
#include <cmath>
#include <limits>

#include "formats/bias_codes.h"
#include "formats/int_format.h"

namespace preon {
namespace {

constexpr double kInt32Max = std::numeric_limits<int32_t>::max();
constexpr double kInt32Min = std::numeric_limits<int32_t>::min();

/// The scale of an accumulator: a float as it is stored, never 0 (a product below the normal floats underflows).
float AccumulatorScale(float input_scale, float weight_scale) { return std::max(input_scale * weight_scale, FLT_MIN); }

}  // namespace

std::vector<QuantParams> ProtectBiasOverflow(std::span<const float> bias, float input_scale,
                                             std::vector<QuantParams> weight_params, float beta) {
  PREON_CHECK(weight_params.size() == 1 || weight_params.size() == bias.size());
  for (size_t channel = 0; channel < weight_params.size(); ++channel) {
    const std::span<const float> covered = weight_params.size() == 1 ? bias : bias.subspan(channel, 1);
    double largest = 0;
    for (float b : covered) largest = std::max(largest, std::abs(static_cast<double>(beta) * b));
    // A ten-thousandth of room: the enlarged scale is rounded to float, and so is its product with the input's.
    const double smallest = 1.0001 * largest / kInt32Max;
    float& weight_scale = weight_params[channel].scale;
    if (static_cast<double>(input_scale) * weight_scale < smallest)
      weight_scale = static_cast<float>(smallest / input_scale);
  }
  return weight_params;
}

Status CheckScaleCount(size_t values, std::span<const QuantParams> weight_params) {
  if (weight_params.size() == 1 || weight_params.size() == values) return Status::Ok();
  return Error(ErrorId::kQuantizeFailed, "bias of ", values, " values for ", weight_params.size(), " weight scales");
}

EncodedBias CodesAtScales(std::span<const double> values, std::vector<float> scales) {
  EncodedBias encoded{.codes = Tensor::Allocate(DataType::kInt32, {static_cast<int64_t>(values.size())}),
                      .scales = std::move(scales)};
  const std::span<int32_t> codes = encoded.codes.Mutable<int32_t>();
  for (size_t channel = 0; channel < values.size(); ++channel) {
    const double scale = encoded.scales[encoded.scales.size() == 1 ? 0 : channel];
    const double code = std::clamp(std::nearbyint(values[channel] / scale), kInt32Min, kInt32Max);
    codes[channel] = static_cast<int32_t>(code);
    encoded.max_abs_error = std::max(encoded.max_abs_error, std::abs(values[channel] - scale * code));
  }
  return encoded;
}

Result<EncodedBias> EncodeBias(std::span<const float> bias, float input_scale,
                               std::span<const QuantParams> weight_params, float beta) {
  PREON_RETURN_IF_ERROR(CheckScaleCount(bias.size(), weight_params));
  std::vector<double> values;
  for (size_t channel = 0; channel < bias.size(); ++channel) {
    values.push_back(static_cast<double>(beta) * bias[channel]);
    if (!std::isfinite(values.back())) {
      return Error(ErrorId::kRangeNotFinite, "bias of channel ", channel, " is ", bias[channel], " (times beta ", beta,
                   ")");
    }
  }
  std::vector<float> scales;
  for (const QuantParams& params : weight_params) scales.push_back(AccumulatorScale(input_scale, params.scale));
  return CodesAtScales(values, std::move(scales));
}

}  // namespace preon
