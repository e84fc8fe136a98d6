// Whole tensors to codes and back. Every value goes through kernels/quantize.h, so constants that preon encodes and
// values that the runtime's QuantizeLinear encodes follow the same rule.
#include <algorithm>
#include <cmath>
#include <limits>

#include "formats/axis_view.h"
#include "formats/block_view.h"
#include "formats/int_format.h"
#include "formats/linear_codec.h"
#include "formats/param_layout.h"
#include "kernels/extremes.h"
#include "kernels/quantize.h"

namespace preon {
namespace {

IntCodes KernelCodesOf(const QuantParams& params, const IntFormat& format) {
  const CodeRange codes = CodesInUse(params, format);
  return {params.scale, params.zero_point, codes.min, codes.max};
}

template <typename T>
Tensor EncodeAs(const Tensor& values, const AxisView& view, std::span<const QuantParams> params,
                const IntFormat& format) {
  Tensor codes = Tensor::Allocate(format.type, values.shape());
  ParamLayout::PerAxis(view).ForEachRun(
      values.floats().data(), codes.Mutable<T>().data(), [&](const float* x, int64_t count, int64_t channel, T* out) {
        QuantizeLinear(x, static_cast<size_t>(count), KernelCodesOf(params[channel], format), out);
      });
  return codes;
}

// Scales and zero points apart, as the codec of all types takes them.
struct SplitParams {
  explicit SplitParams(std::span<const QuantParams> params) {
    for (const QuantParams& each : params) {
      scales.push_back(each.scale);
      zero_points.push_back(static_cast<double>(each.zero_point));
    }
  }
  LinearParams all() const { return {scales, zero_points}; }
  std::vector<float> scales;
  std::vector<double> zero_points;
};

Result<ParamLayout> ParamLayoutOf(const Tensor& tensor, int axis, int64_t block_size) {
  if (axis < 0) return ParamLayout::PerTensor(tensor.count());
  if (block_size > 0) return ParamLayout::PerBlock(tensor.shape(), axis, block_size);
  return ParamLayout::PerAxis(tensor.shape(), axis);
}

// Within what the codes in use can represent.
Tensor Clipped(const Tensor& values, const ParamLayout& layout, std::span<const QuantParams> params,
               const IntFormat& format) {
  Tensor clipped = Tensor::Allocate(DataType::kFloat, values.shape());
  layout.ForEachRun(values.floats().data(), clipped.Mutable<float>().data(),
                    [&](const float* x, int64_t count, int64_t param, float* out) {
                      const auto [low, high] = RepresentableRange(params[static_cast<size_t>(param)], format);
                      for (int64_t i = 0; i < count; ++i) out[i] = std::clamp(x[i], low, high);
                    });
  return clipped;
}

Result<EncodedTensor> EncodeByCodec(const Tensor& values, std::vector<QuantParams> params, int axis,
                                    const IntFormat& format, int64_t block_size) {
  PREON_ASSIGN_OR_RETURN(const ParamLayout layout, ParamLayoutOf(values, axis, block_size));
  const SplitParams split(params);
  Tensor codes = Tensor::Allocate(format.type, values.shape());
  const Tensor reached = format.bits > 0 ? Clipped(values, layout, params, format) : values;
  PREON_RETURN_IF_ERROR(
      QuantizeTensor({format.type}, layout, split.all(), reached.floats().data(), codes.MutableBytes().data()));
  return EncodedTensor{std::move(codes), std::move(params), axis, block_size};
}

bool HasCodesOfItsOwn(DataType type) {
  return type == DataType::kInt8 || type == DataType::kUInt8 || type == DataType::kInt16 || type == DataType::kUInt16;
}

}  // namespace

Result<Tensor> RowsOfBlocks(const Tensor& values, int axis, int64_t block_size) {
  const Result<BlockView> view = ViewBlocks(values.shape(), axis, block_size);
  if (!view.ok()) return Error(ErrorId::kQuantizeFailed, view.status().message());
  Tensor rows = Tensor::Allocate(DataType::kFloat, {view->blocks(), block_size});
  const std::span<const float> from = values.floats();
  const std::span<float> to = rows.Mutable<float>();
  ForEachBlock(*view, [&](const BlockPlace& place) {
    for (int64_t row = 0; row < place.rows; ++row) {
      to[static_cast<size_t>(place.block * block_size + row)] =
          from[static_cast<size_t>(place.first + row * view->inner)];
    }
  });
  return rows;
}

Result<EncodedTensor> EncodeTensor(const Tensor& values, std::vector<QuantParams> params, int axis,
                                   const IntFormat& format, int64_t block_size) {
  if (values.type() != DataType::kFloat) {
    return Error(ErrorId::kQuantizeFailed, "type ", DataTypeName(values.type()), " can't be encoded; wanted float");
  }
  if (block_size > 0 || !HasCodesOfItsOwn(format.type)) {
    return EncodeByCodec(values, std::move(params), axis, format, block_size);
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
    default:
      codes = EncodeAs<uint16_t>(values, view, params, format);
      break;
  }
  return EncodedTensor{std::move(codes), std::move(params), axis};
}

Result<std::vector<Range>> WeightRanges(const Tensor& values, int axis) {
  PREON_ASSIGN_OR_RETURN(const AxisView view, ViewAlong(values.shape(), axis));
  const std::span<const float> x = values.floats();
  const int64_t not_finite = std::count_if(x.begin(), x.end(), [](float v) { return !std::isfinite(v); });
  if (not_finite > 0) {
    return Error(ErrorId::kRangeNotFinite, not_finite, " of ", values.count(), " values are NaN or infinite")
        .WithHint("--exclude NODE leaves the node that reads it in float");
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
  const Result<ParamLayout> layout = ParamLayoutOf(encoded.codes, encoded.axis, encoded.block_size);
  PREON_CHECK(layout.ok());
  Tensor values = Tensor::Allocate(DataType::kFloat, encoded.codes.shape());
  const SplitParams split(encoded.params);
  const Status decoded = DequantizeTensor({encoded.codes.type()}, *layout, split.all(), encoded.codes.bytes().data(),
                                          values.Mutable<float>().data());
  PREON_CHECK(decoded.ok());  // a type that EncodeTensor can't have made
  return values;
}

}  // namespace preon
