#include "ops/instance_norm_op.h"

#include <vector>

#include "base/shape.h"
#include "ops/dpu_instance_norm.h"

namespace preon {

InstanceNormKernel::InstanceNormKernel(const OrtKernelInfo* info) : epsilon_(FloatAttribute(info, "epsilon", 1e-5f)) {}

void InstanceNormKernel::Compute(const Ort::KernelContext& context) const {
  const Ort::ConstValue input = context.GetInput(0), scale = context.GetInput(1), bias = context.GetInput(2);
  const std::vector<int64_t> shape = input.GetTensorTypeAndShapeInfo().GetShape();
  if (shape.size() < 2)
    ThrowUnlessOk(Error(ErrorId::kFormatAttribute, "x: got rank ", shape.size(), ", wanted [N, C, ...]"));
  const int64_t channels = shape[1];
  for (const auto& [name, value] : {std::pair("scale", scale), std::pair("B", bias)}) {
    const size_t count = value.GetTensorTypeAndShapeInfo().GetElementCount();
    if (static_cast<int64_t>(count) != channels)
      ThrowUnlessOk(Error(ErrorId::kFormatAttribute, name, ": got ", count, " values, wanted one for each of ",
                          channels, " channels"));
  }
  Ort::UnownedValue output = context.GetOutput(0, shape);
  const int64_t slices = shape[0] * channels;
  const int64_t count = slices == 0 ? 0 : ElementCount(shape) / slices;
  if (count == 0) return;
  const float* x = input.GetTensorData<float>();
  float* y = output.GetTensorMutableData<float>();
  ThreadsOf(context)(static_cast<size_t>(slices), [&](size_t slice) {
    const size_t channel = slice % static_cast<size_t>(channels), first = slice * static_cast<size_t>(count);
    DpuInstanceNorm(x + first, static_cast<size_t>(count), scale.GetTensorData<float>()[channel],
                    bias.GetTensorData<float>()[channel], epsilon_, y + first);
  });
}

}  // namespace preon
