#include "ops/block_ops.h"

#include <vector>

#include "formats/block_codec.h"
#include "kernels/mini_float.h"

namespace preon {
namespace {

BfpAttributes BfpAttributesOfNode(const OrtKernelInfo* info) {
  BfpAttributes a;
  a.bfp_method = StringAttribute(info, "bfp_method", a.bfp_method);
  for (const auto& [name, field] :
       {std::pair("bit_width", &a.bit_width), std::pair("block_size", &a.block_size),
        std::pair("rounding_mode", &a.rounding_mode), std::pair("sub_block_size", &a.sub_block_size),
        std::pair("sub_block_shift_bits", &a.sub_block_shift_bits),
        std::pair("convert_to_bfloat_before_bfp", &a.convert_to_bfloat_before_bfp),
        std::pair("use_compiler_version_cpu_kernel", &a.use_compiler_version_cpu_kernel)}) {
    *field = IntAttribute(info, name, *field);
  }
  return a;
}

MxAttributes MxAttributesOfNode(const OrtKernelInfo* info) {
  MxAttributes a;
  a.element_dtype = StringAttribute(info, "element_dtype", a.element_dtype);
  a.block_size = IntAttribute(info, "block_size", a.block_size);
  a.rounding_mode = IntAttribute(info, "rounding_mode", a.rounding_mode);
  return a;
}

}  // namespace

BlockKernel::BlockKernel(const OrtKernelInfo* info, Result<BlockSpec> spec)
    : spec_(ValueOrThrow(std::move(spec))), axis_(IntAttribute(info, "axis", 1)) {}

BfpKernel::BfpKernel(const OrtKernelInfo* info)
    : BlockKernel(info, SpecOf(BfpAttributesOfNode(info), Numerics::kCompat)) {}
MxKernel::MxKernel(const OrtKernelInfo* info)
    : BlockKernel(info, SpecOf(MxAttributesOfNode(info), Numerics::kCompat)) {}

void BlockKernel::Compute(const Ort::KernelContext& context) const {
  const Ort::ConstValue input = context.GetInput(0);
  const Ort::TensorTypeAndShapeInfo info = input.GetTensorTypeAndShapeInfo();
  const std::vector<int64_t> shape = info.GetShape();
  const size_t count = info.GetElementCount();
  Ort::UnownedValue output = context.GetOutput(0, shape);
  const ParallelFor threads = ThreadsOf(context);
  if (info.GetElementType() == kFloatType)
    return ThrowUnlessOk(QuantizeDequantize(spec_, shape, axis_, input.GetTensorData<float>(),
                                            output.GetTensorMutableData<float>(), threads));
  if (info.GetElementType() != ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16)
    ThrowUnlessOk(Error(ErrorId::kFormatAttribute, "x: wanted float32 or float16"));
  std::vector<float> values(count);
  DecodeMiniFloat(kE5M10, static_cast<const uint16_t*>(input.GetTensorRawData()), count, values.data());
  ThrowUnlessOk(QuantizeDequantize(spec_, shape, axis_, values.data(), values.data(), threads));
  EncodeMiniFloat(kE5M10, Overflow::kInfinity, values.data(), count,
                  static_cast<uint16_t*>(output.GetTensorMutableRawData()));
}

}  // namespace preon
