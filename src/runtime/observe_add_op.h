// Inside runtime/: the custom operator preon.ObserveAdd, an Add between observers of its inputs and its output.
#pragma once

#include "runtime/observe_op.h"

namespace preon {

/// The operator with a sum in memory of its own, and the one that writes it over input 0, which has no other
/// reader.
inline constexpr char kObserveAddOp[] = "ObserveAdd";
inline constexpr char kObserveAddInPlaceOp[] = "ObserveAddInPlace";
/// Indices of input 0, input 1, the sum; kNotObserved where there was no observer. Block and channels: as of Observe.
inline constexpr char kIndicesAttribute[] = "indices";
inline constexpr int64_t kNotObserved = -1;

enum class SumMemory { kOwn, kInput0 };

class ObserveAddKernel;

/// Sum and statistics in one pass over the data. Its inputs have the same shape.
class ObserveAddOp : public Ort::CustomOpBase<ObserveAddOp, ObserveAddKernel, /*WithStatus=*/true> {
 public:
  /// As for ObserveOp.
  ObserveAddOp(TensorObserver* observer, int threads, size_t tensors, SumMemory memory);

  const char* GetName() const { return memory_ == SumMemory::kOwn ? kObserveAddOp : kObserveAddInPlaceOp; }
  size_t GetInputTypeCount() const { return 2; }
  size_t GetOutputTypeCount() const { return 1; }
  ONNXTensorElementDataType GetInputType(size_t) const { return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT; }
  ONNXTensorElementDataType GetOutputType(size_t) const { return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT; }
  OrtStatusPtr CreateKernelV2(const OrtApi& api, const OrtKernelInfo* info, void** kernel) const;

 private:
  TensorObserver* observer_;
  int threads_;
  size_t tensors_;
  SumMemory memory_;
};

}  // namespace preon
