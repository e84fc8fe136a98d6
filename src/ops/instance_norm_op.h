// ExtendedInstanceNormalization (VitisInstanceNormalization).
#pragma once

#include "ops/op_base.h"

namespace preon {

/// x float32 [N, C, …], scale [C], B [C] -> y like x.
class InstanceNormKernel {
 public:
  static constexpr ONNXTensorElementDataType kInputs[] = {kFloatType, kFloatType, kFloatType};
  static constexpr ONNXTensorElementDataType kOutput = kFloatType;
  static constexpr size_t kTypeLike = 0;
  static constexpr bool kKeepsShape = true;

  explicit InstanceNormKernel(const OrtKernelInfo* info);
  void Compute(const Ort::KernelContext& context) const;

 private:
  float epsilon_;
};

}  // namespace preon
