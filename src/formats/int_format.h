// Integer formats and the map from a real interval to scale and zero point.
#pragma once

#include <cstdint>
#include <span>
#include <string>
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
  int64_t zero_point = 0;
  bool operator==(const QuantParams&) const = default;
};

/// An element type with its code interval. Floating types are always symmetric.
struct IntFormat {
  DataType type = DataType::kUInt8;
  bool symmetric = false;     ///< zero_point fixed to the code for 0
  bool reduce_range = false;  ///< one bit less, for CPUs whose u8·s8 products saturate
  int bits = 0;               ///< of the codes in use, where they are fewer than the type's (int3 in int4); 0: all

  /// Codes used for scale computation and encoding: symmetric s8 is -127…127, symmetric u8 1…255
  /// around 128 (the exact shift of s8), reduced s8 -64…64; reduce_range wins over symmetric. Fewer bits: all codes of
  /// these, -4…3 of three. Floating: their largest
  /// value, 2 for bfloat16. Other types are a bug.
  int64_t q_min() const;
  int64_t q_max() const;
  /// float16, bfloat16, float8e4m3fn, float8e5m2: codes are values, and steps grow with them.
  bool floating() const;
  bool operator==(const IntFormat&) const = default;
};

/// An integer of 4 to 32 bits?
bool IsIntType(DataType type);

/// Turns a real interval into the scale and zero point that cover it.
///
/// @param range  finite, min <= max; widened to contain 0, and to both sides of 0 when `format.symmetric`.
/// @return       scale > 0; zero_point in [q_min, q_max], except for an interval so small that the scale would not be
///               a normal float ([0, 0], denormals): scale 1 and zero point 0 in every format.
/// Errors:   kRangeInvalid if not finite or min > max.
/// Numerics: scale in double, rounded once to float; zero_point ties to even. Bounds beyond FLT_MAX / 2 count as that.
/// Source:   onnxruntime 1.30 quant_utils.compute_scale_zp, bit for bit but for u8/u16 symmetric (see q_min).
Result<QuantParams> ComputeQuantParams(Range range, const IntFormat& format);

/// The codes that encoding with `params` can give: [q_min, q_max], and the zero point where an all-zero tensor's lies
/// outside (its scale is 1 and its zero point 0 in every format).
struct CodeRange {
  int64_t min, max;
};
CodeRange CodesInUse(const QuantParams& params, const IntFormat& format);

/// The interval that the codes of `params` can represent.
Range RepresentableRange(const QuantParams& params, const IntFormat& format);

/// round-half-even(x / scale) + zero_point, saturated to [q_min, q_max]. NaN -> q_min, as in the runtime.
int64_t EncodeValue(float x, const QuantParams& params, const IntFormat& format);

/// A quantized constant: codes plus one (per tensor), C (per axis) or more (per block) parameters.
struct EncodedTensor {
  Tensor codes;
  std::vector<QuantParams> params;  ///< in the order of ParamLayout (param_layout.h)
  int axis = -1;                    ///< -1 = per tensor
  int64_t block_size = 0;           ///< so many neighbours along `axis` share a parameter; 0 = one per index
};

/// Encodes a float tensor with given parameters: 1 for axis -1, else one per index of `axis`, or per block of
/// `block_size` along it. Bytes and pairs of bytes saturate to the format's codes, others to all of the type's.
/// Errors: kQuantizeFailed on type, axis or sizes; kFormatAttribute for zero points that the type has not.
Result<EncodedTensor> EncodeTensor(const Tensor& values, std::vector<QuantParams> params, int axis,
                                   const IntFormat& format, int64_t block_size = 0);

/// A float tensor as one row per block: [blocks, block_size], short blocks filled with zeros, in the order of
/// EncodedTensor::params. Errors: kQuantizeFailed on the axis.
Result<Tensor> RowsOfBlocks(const Tensor& values, int axis, int64_t block_size);

/// Minimum and maximum per index of `axis` (axis -1: one entry) of a float tensor; [0, 0] where there are no values.
/// Errors: kQuantizeFailed on the axis, kRangeNotFinite.
Result<std::vector<Range>> WeightRanges(const Tensor& values, int axis);

/// codes -> float, for tests and evaluation.
Tensor DecodeTensor(const EncodedTensor& encoded);

/// An int32 bias.
struct EncodedBias {
  Tensor codes;               ///< int32 [C]
  std::vector<float> scales;  ///< 1 or C: input_scale · s_w[c], rounded to float
  double max_abs_error = 0;   ///< max |beta·b - s·q|
};

/// Weight scales (1 for all channels, or one per value of `bias`) enlarged where beta·b would not fit into int32, the
/// others unchanged. A channel with tiny weights has a tiny accumulator scale; its bias would saturate and the channel
/// be lost, while its weights hardly matter beside the bias. Encode the weight with what is returned.
/// Source: onnxruntime 1.20, base_quantizer.py (adjust_weight_scale_for_int32_bias).
std::vector<QuantParams> ProtectBiasOverflow(std::span<const float> bias, float input_scale,
                                             std::vector<QuantParams> weight_params, float beta = 1);

/// q = clip(round-half-even(beta·b / s), int32), s = input_scale · s_w, the quotient in double. The caller sets the
/// node's beta to 1 and flattens or broadcasts biases of shape [1, C], [1] or []. Errors: kQuantizeFailed on sizes,
/// kRangeNotFinite.
Result<EncodedBias> EncodeBias(std::span<const float> bias, float input_scale,
                               std::span<const QuantParams> weight_params, float beta);

}  // namespace preon
