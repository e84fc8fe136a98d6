#include "ops/linear_ops.h"

#include <algorithm>
#include <array>
#include <vector>

#include "formats/linear_codec.h"
#include "kernels/mini_float.h"

namespace preon {
namespace {

constexpr std::array kTypes = {DataType::kUInt8,  DataType::kInt8,  DataType::kUInt16,  DataType::kInt16,
                               DataType::kUInt32, DataType::kInt32, DataType::kFloat16, DataType::kBFloat16};

std::vector<int64_t> ShapeOf(const Ort::ConstValue& value) { return value.GetTensorTypeAndShapeInfo().GetShape(); }

template <typename T>
std::vector<double> Widened(const Ort::ConstValue& value, size_t count) {
  const T* values = static_cast<const T*>(value.GetTensorRawData());
  return std::vector<double>(values, values + count);
}

std::vector<double> ZeroPoints(const Ort::ConstValue& value, DataType type, size_t count) {
  switch (type) {
    case DataType::kUInt8:
      return Widened<uint8_t>(value, count);
    case DataType::kInt8:
      return Widened<int8_t>(value, count);
    case DataType::kUInt16:
      return Widened<uint16_t>(value, count);
    case DataType::kInt16:
      return Widened<int16_t>(value, count);
    case DataType::kUInt32:
      return Widened<uint32_t>(value, count);
    case DataType::kInt32:
      return Widened<int32_t>(value, count);
    default:
      break;
  }
  std::vector<float> floats(count);
  DecodeMiniFloat(*MiniFloatOf(type), static_cast<const uint16_t*>(value.GetTensorRawData()), count, floats.data());
  return {floats.begin(), floats.end()};
}

// What both operators read of their inputs.
struct Operands {
  Operands(const Ort::KernelContext& context, int64_t axis)
      : data(context.GetInput(0)), shape(ShapeOf(data)), scale(context.GetInput(1)), zero_point(context.GetInput(2)) {
    const Ort::TensorTypeAndShapeInfo types = zero_point.GetTensorTypeAndShapeInfo();
    // The numbers of the runtime's types are ONNX's.
    spec = {.type = static_cast<DataType>(types.GetElementType()), .numerics = Numerics::kCompat};
    if (std::ranges::find(kTypes, spec.type) == kTypes.end())
      ThrowUnlessOk(Error(ErrorId::kFormatAttribute, "zero point: got ", DataTypeName(spec.type),
                          ", wanted an integer of 8 to 32 bits, float16 or bfloat16"));
    const size_t count = scale.GetTensorTypeAndShapeInfo().GetElementCount();
    if (types.GetElementCount() != count || ShapeOf(scale).size() > 1 || count == 0)
      ThrowUnlessOk(Error(ErrorId::kFormatAttribute, "got ", count, " scales and ", types.GetElementCount(),
                          " zero points, wanted as many of both, as scalars or 1-D"));
    zero_points = ZeroPoints(zero_point, spec.type, count);
    scales = {scale.GetTensorData<float>(), count};
    layout = count == 1
                 ? ParamLayout::PerTensor(static_cast<int64_t>(data.GetTensorTypeAndShapeInfo().GetElementCount()))
                 : ValueOrThrow(ParamLayout::PerAxis(shape, axis));
    if (count > 1 && layout.params() != static_cast<int64_t>(count))
      ThrowUnlessOk(Error(ErrorId::kFormatAttribute, "got ", count, " scales, wanted ", layout.params(),
                          ", one for each index of axis ", axis));
  }
  LinearParams params() const { return {scales, zero_points}; }

  Ort::ConstValue data;
  std::vector<int64_t> shape;
  Ort::ConstValue scale, zero_point;
  LinearSpec spec;
  ParamLayout layout = ParamLayout::PerTensor(0);
  std::span<const float> scales;
  std::vector<double> zero_points;
};

}  // namespace

QuantizeKernel::QuantizeKernel(const OrtKernelInfo* info) : axis_(IntAttribute(info, "axis", 0)) {}

void QuantizeKernel::Compute(const Ort::KernelContext& context) const {
  const Operands in(context, axis_);
  Ort::UnownedValue output = context.GetOutput(0, in.shape);
  ThrowUnlessOk(QuantizeTensor(in.spec, in.layout, in.params(), in.data.GetTensorData<float>(),
                               static_cast<std::byte*>(output.GetTensorMutableRawData())));
}

DequantizeKernel::DequantizeKernel(const OrtKernelInfo* info) : axis_(IntAttribute(info, "axis", 0)) {}

void DequantizeKernel::Compute(const Ort::KernelContext& context) const {
  const Operands in(context, axis_);
  // The runtime does not see to it that inputs of an open type have the same one.
  const auto type = static_cast<DataType>(in.data.GetTensorTypeAndShapeInfo().GetElementType());
  if (type != in.spec.type)
    ThrowUnlessOk(Error(ErrorId::kFormatAttribute, "x: got ", DataTypeName(type), ", wanted ",
                        DataTypeName(in.spec.type), ", the zero point's type"));
  Ort::UnownedValue output = context.GetOutput(0, in.shape);
  ThrowUnlessOk(DequantizeTensor(in.spec, in.layout, in.params(),
                                 static_cast<const std::byte*>(in.data.GetTensorRawData()),
                                 output.GetTensorMutableData<float>()));
}

}  // namespace preon
