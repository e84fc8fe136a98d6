// ExtendedQuantizeLinear (VitisQuantizeLinear) and ExtendedDequantizeLinear (VitisDequantizeLinear).
#pragma once

#include "ops/op_base.h"

namespace preon {

/// x float32, scale float32, zero point T -> codes T: integers of 8 to 32 bits, float16, bfloat16. A scale of one
/// element is for all, one of more for an axis (default 0).
class QuantizeKernel {
 public:
  static constexpr ONNXTensorElementDataType kInputs[] = {kFloatType, kFloatType, kAnyType};
  static constexpr ONNXTensorElementDataType kOutput = kAnyType;
  static constexpr size_t kTypeLike = 2;
  static constexpr bool kKeepsShape = true;

  explicit QuantizeKernel(const OrtKernelInfo* info);
  void Compute(const Ort::KernelContext& context) const;

 private:
  int64_t axis_;
};

/// The inverse; the scale gives the type of the output.
class DequantizeKernel {
 public:
  static constexpr ONNXTensorElementDataType kInputs[] = {kAnyType, kFloatType, kAnyType};
  static constexpr ONNXTensorElementDataType kOutput = kFloatType;
  static constexpr size_t kTypeLike = 1;
  static constexpr bool kKeepsShape = true;

  explicit DequantizeKernel(const OrtKernelInfo* info);
  void Compute(const Ort::KernelContext& context) const;

 private:
  int64_t axis_;
};

}  // namespace preon
