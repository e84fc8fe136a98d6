// Whole tensors to codes and back. Every value goes through kernels/quantize.h, so constants that preon encodes and
// values that the runtime's QuantizeLinear encodes follow the same rule.
#include <algorithm>
#include <cmath>
#include <limits>

#include "formats/axis_view.h"
#include "formats/int_format.h"
#include "formats/param_layout.h"
#include "kernels/extremes.h"
#include "kernels/quantize.h"

namespace preon {
namespace {

IntCodes CodesOf(const QuantParams& params, const IntFormat& format) {
  const CodeRange codes = CodesInUse(params, format);
  return {params.scale, params.zero_point, codes.min, codes.max};
}

template <typename T>
Tensor EncodeAs(const Tensor& values, const AxisView& view, std::span<const QuantParams> params,
                const IntFormat& format) {
  Tensor codes = Tensor::Allocate(format.type, values.shape());
  ParamLayout::PerAxis(view).ForEachRun(
      values.floats().data(), codes.Mutable<T>().data(), [&](const float* x, int64_t count, int64_t channel, T* out) {
        QuantizeLinear(x, static_cast<size_t>(count), CodesOf(params[channel], format), out);
      });
  return codes;
}

template <typename T>
void DecodeAs(const EncodedTensor& encoded, const AxisView& view, float* out) {
  ParamLayout::PerAxis(view).ForEachRun(
      encoded.codes.As<T>().data(), out, [&](const T* codes, int64_t count, int64_t channel, float* to) {
        const QuantParams& params = encoded.params[channel];
        DequantizeLinear(codes, static_cast<size_t>(count), {params.scale, params.zero_point, 0, 0}, to);
      });
}

}  // namespace

Result<EncodedTensor> EncodeTensor(const Tensor& values, std::vector<QuantParams> params, int axis,
                                   const IntFormat& format) {
  if (values.type() != DataType::kFloat) {
    return Error(ErrorId::kQuantizeFailed, "type ", DataTypeName(values.type()), " can't be encoded; wanted float");
  }
  PREON_ASSIGN_OR_RETURN(const AxisView view, ViewAlong(values.shape(), axis));
  if (static_cast<int64_t>(params.size()) != view.channels) {
    return Error(ErrorId::kQuantizeFailed, params.size(), " scales for ", view.channels, " channels of shape ",
                 ShapeToString(values.shape()), " along axis ", axis);
  }
  Tensor codes;
  switch (format.type) {
    case DataType::kInt8:
      codes = EncodeAs<int8_t>(values, view, params, format);
      break;
    case DataType::kUInt8:
      codes = EncodeAs<uint8_t>(values, view, params, format);
      break;
    case DataType::kInt16:
      codes = EncodeAs<int16_t>(values, view, params, format);
      break;
    case DataType::kUInt16:
      codes = EncodeAs<uint16_t>(values, view, params, format);
      break;
    default:
      return Error(ErrorId::kNotYetSupported, "constants can't be encoded as ", DataTypeName(format.type),
                   " in this version; it has: int8, uint8, int16, uint16");
  }
  return EncodedTensor{std::move(codes), std::move(params), axis};
}

Result<std::vector<Range>> WeightRanges(const Tensor& values, int axis) {
  PREON_ASSIGN_OR_RETURN(const AxisView view, ViewAlong(values.shape(), axis));
  const std::span<const float> x = values.floats();
  const int64_t not_finite = std::count_if(x.begin(), x.end(), [](float v) { return !std::isfinite(v); });
  if (not_finite > 0) {
    return Error(ErrorId::kRangeNotFinite, not_finite, " of ", values.count(), " values are NaN or infinite");
  }
  if (x.empty()) return std::vector<Range>(view.channels);

  std::vector<float> min(view.channels, std::numeric_limits<float>::max()),
      max(view.channels, std::numeric_limits<float>::lowest());
  if (view.inner == 1) {
    ColumnExtremes(x.data(), view.outer, view.channels, min.data(), max.data());
  } else {
    for (int64_t run = 0; run < view.outer * view.channels; ++run) {
      const int64_t channel = run % view.channels;
      RunExtremes(x.data() + run * view.inner, view.inner, &min[channel], &max[channel]);
    }
  }
  std::vector<Range> ranges(view.channels);
  for (int64_t channel = 0; channel < view.channels; ++channel) ranges[channel] = {min[channel], max[channel]};
  return ranges;
}

Tensor DecodeTensor(const EncodedTensor& encoded) {
  const Result<AxisView> view = ViewAlong(encoded.codes.shape(), encoded.axis);
  PREON_CHECK(view.ok());
  Tensor values = Tensor::Allocate(DataType::kFloat, encoded.codes.shape());
  float* out = values.Mutable<float>().data();
  switch (encoded.codes.type()) {
    case DataType::kInt8:
      DecodeAs<int8_t>(encoded, *view, out);
      break;
    case DataType::kUInt8:
      DecodeAs<uint8_t>(encoded, *view, out);
      break;
    case DataType::kInt16:
      DecodeAs<int16_t>(encoded, *view, out);
      break;
    case DataType::kUInt16:
      DecodeAs<uint16_t>(encoded, *view, out);
      break;
    case DataType::kInt32:
      DecodeAs<int32_t>(encoded, *view, out);
      break;
    default:
      PREON_CHECK(!"a type that EncodeTensor can't have made");
  }
  return values;
}

}  // namespace preon
