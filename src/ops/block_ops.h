// BFPQuantizeDequantize (BFPFixNeuron) and MXQuantizeDequantize (MXFixNeuron).
#pragma once

#include "formats/block_spec.h"
#include "ops/op_base.h"

namespace preon {

/// x, float32 or float16, as the codes of a block format give it back.
class BlockKernel {
 public:
  static constexpr ONNXTensorElementDataType kInputs[] = {kAnyType};
  static constexpr ONNXTensorElementDataType kOutput = kAnyType;
  static constexpr size_t kTypeLike = 0;
  static constexpr bool kKeepsShape = true;

  void Compute(const Ort::KernelContext& context) const;

 protected:
  BlockKernel(const OrtKernelInfo* info, Result<BlockSpec> spec);

 private:
  BlockSpec spec_;
  int64_t axis_;
};

struct BfpKernel : BlockKernel {
  explicit BfpKernel(const OrtKernelInfo* info);
};
struct MxKernel : BlockKernel {
  explicit MxKernel(const OrtKernelInfo* info);
};

}  // namespace preon
