// Integer formats and the map from a real interval to scale and zero point.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/data_type.h"
#include "base/status.h"
#include "base/tensor.h"

namespace preon {

/// Real interval chosen to be representable.
struct Range {
  float min = 0;
  float max = 0;
  bool operator==(const Range&) const = default;
};

/// real = scale * (q - zero_point)
struct QuantParams {
  float scale = 1;
  int32_t zero_point = 0;
  bool operator==(const QuantParams&) const = default;
};

/// An integer element type with its code interval.
struct IntFormat {
  DataType type = DataType::kUInt8;
  bool symmetric = false;      ///< zero_point fixed to the code for 0
  bool reduce_range = false;   ///< one bit less, for CPUs whose u8·s8 products saturate

  /// Codes used for scale computation and encoding, spec qdq §1.1: symmetric s8 is -127…127, symmetric u8 1…255
  /// around 128 (the exact shift of s8), reduced s8 -64…64.
  int64_t q_min() const;
  int64_t q_max() const;
  bool operator==(const IntFormat&) const = default;
};

/// int8/uint8/int16/uint16/int4/uint4/int32, "QuantType.QInt8", "QUInt8"… Errors: kUnknownOption, kNotYetSupported.
Result<DataType> ParseIntType(std::string_view name);

/// Spec qdq §1.2 / options §9.1: contains 0 afterwards, scale > 0, zero_point in [q_min, q_max]; [0, 0] gives scale 1, zero point q-code of 0.
/// Computed in double, scale rounded once to float. Errors: kRangeInvalid if not finite or min > max.
Result<QuantParams> ComputeQuantParams(Range range, const IntFormat& format);

/// The interval that the codes of `params` can represent.
Range RepresentableRange(const QuantParams& params, const IntFormat& format);

/// round-half-even(x / scale) + zero_point, saturated to [q_min, q_max]. NaN -> zero_point.
int32_t EncodeValue(float x, const QuantParams& params, const IntFormat& format);

/// A quantized constant: codes plus one (per tensor) or C (per axis) parameters.
struct EncodedTensor {
  Tensor codes;
  std::vector<QuantParams> params;   ///< size 1 or shape[axis]
  int axis = -1;                     ///< -1 = per tensor
};

/// Encodes a float tensor with given parameters (1, or one per index of `axis`). Errors: kInvalidArgument-class on sizes.
Result<EncodedTensor> EncodeTensor(const Tensor& values, std::vector<QuantParams> params, int axis, const IntFormat& format);

/// Minimum and maximum per index of `axis` (axis -1: one entry) of a float tensor. Errors: kRangeNotFinite.
Result<std::vector<Range>> WeightRanges(const Tensor& values, int axis);

/// codes -> float, for tests and evaluation.
Tensor DecodeTensor(const EncodedTensor& encoded);

/// int32 bias, spec qdq §6: scale s_x·s_w[c], q = clip(round(beta·b / s), int32) in double.
/// `weight_params` may be enlarged first where |q| would overflow (returned; re-encode the weight with it).
struct EncodedBias {
  Tensor codes;                        ///< int32 [C]
  std::vector<float> scales;           ///< 1 or C
  double max_abs_error = 0;            ///< max |beta·b - s·q|
};
/// Smallest s_w (per channel) that keeps this bias inside int32; entries that are fine are returned unchanged.
std::vector<QuantParams> ProtectBiasOverflow(std::span<const float> bias, float input_scale, std::vector<QuantParams> weight_params);
Result<EncodedBias> EncodeBias(std::span<const float> bias, float input_scale, std::span<const QuantParams> weight_params, float beta);

}  // namespace preon
