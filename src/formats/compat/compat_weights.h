// Weights and biases as Quark and ONNX Runtime encode them.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "formats/compat/compat_params.h"
#include "formats/weight_rule.h"

namespace preon::compat {

struct WeightOptions {
  ScaleType scale_type = ScaleType::kFloat32;
  WeightMethod method = WeightMethod::kMinMax;
  WeightSearch search = WeightSearch::kPercentile;  ///< of float scales; the extremes are never among what is tried
  Compat tool = Compat::kQuark;                     ///< ONNX Runtime: float scales by the extremes only
  std::optional<Range> range;                       ///< instead of what the values give
};

/// Parameters of a tensor (axis -1) or of each index of `axis`; those of no values are those of [0, 0]. kMinMse has
/// float scales whatever the scale type, but for power-of-two scales, which it searches. Errors: kQuantizeFailed on the
/// axis, kRangeNotFinite, kRangeInvalid.
Result<std::vector<QuantParams>> WeightParams(const Tensor& values, int axis, const IntFormat& format,
                                              const WeightOptions& options);

/// The codes that a weight may have: Quark cuts signed ones to the symmetric ones, even where the parameters
/// are those of all codes; ONNX Runtime uses all.
Codes WeightCodes(const IntFormat& format, Compat tool);
/// round-half-even(value / scale) + zero_point, cut.
int64_t WeightCode(float value, const QuantParams& params, const Codes& cut);

/// Codes for given parameters, one per index of `axis`. Errors: kQuantizeFailed; kNotYetSupported for 4-bit types.
Result<EncodedTensor> EncodeWeight(const Tensor& values, std::vector<QuantParams> params, int axis,
                                   const IntFormat& format, Compat tool);

/// ONNX Runtime's: the scales of a weight with zero points of 0, 1 or one per value of `bias`, enlarged where the bias
/// would not fit int32. Quark lets such biases saturate.
void EnlargeForBias(std::span<const float> bias, float input_scale, std::vector<QuantParams>& weight_params);

/// int32 codes of a bias; the scale is input_scale · s_w · beta, each product rounded to float, as the node keeps its
/// beta. Errors: kQuantizeFailed on sizes, kRangeNotFinite.
Result<EncodedBias> EncodeBias(std::span<const float> bias, float input_scale,
                               std::span<const QuantParams> weight_params, float beta);

/// Quark's, where an alignment has given the input another scale: the codes of the old scale times the ratio of both,
/// cut towards 0. Nothing where a channel's scale is the same.
void AdjustBias(float input_scale, std::span<const QuantParams> weight_params, EncodedBias& bias);

}  // namespace preon::compat
