// ExtendedLSTM (VitisLSTM).
#pragma once

#include "ops/fixed_point_lstm.h"
#include "ops/op_base.h"

namespace preon {

/// X float32 [seq, 1, input], W [2, 4H, input], R [2, 4H, H], B [2, 8H] -> Y [seq, 2, 1, H].
class LstmKernel {
 public:
  static constexpr ONNXTensorElementDataType kInputs[] = {kFloatType, kFloatType, kFloatType, kFloatType};
  static constexpr ONNXTensorElementDataType kOutput = kFloatType;
  static constexpr size_t kTypeLike = 0;
  static constexpr bool kKeepsShape = false;

  explicit LstmKernel(const OrtKernelInfo* info);
  void Compute(const Ort::KernelContext& context) const;

 private:
  FixedPointLstm lstm_;
};

}  // namespace preon
