// Inside runtime/: the custom operator preon.Observe, which hands its input to an observer and passes it on.
#pragma once

#include "runtime/ort_guard.h"
#include "runtime/tensor_observer.h"

namespace preon {

inline constexpr char kObserveDomain[] = "preon";
inline constexpr char kObserveOp[] = "Observe";
/// Attributes of an Observe node: the tensor's index in ObservedSession's list; for a blocked tensor its block (else 1)
/// and its logical number of channels (axis 1).
inline constexpr char kIndexAttribute[] = "index";
inline constexpr char kBlockAttribute[] = "block";
inline constexpr char kChannelsAttribute[] = "channels";

class ObserveKernel;

/// What an observer's node says of how to read its tensor, checked: nodes come from models that anybody may have made.
class ObservedLayout {
 public:
  /// Throws std::runtime_error.
  explicit ObservedLayout(const Ort::ConstKernelInfo& node);
  /// The value as observers see it. Throws where it does not lie as the node says.
  ObservedValue Value(const float* data, Shape stored) const;

 private:
  int64_t block_, channels_;
};
/// The attribute's indices, at most the number of tensors that the model has observers for. Throws as above.
size_t CheckedIndex(int64_t index, size_t tensors);

/// Output 0 is input 0 under the same address (GetAliasMap): nothing is copied, and the tensor dies as early as
/// without the observer. Where the runtime has to give the output memory of its own (graph outputs), it is copied.
class ObserveOp : public Ort::CustomOpBase<ObserveOp, ObserveKernel, /*WithStatus=*/true> {
 public:
  /// `observer` outlives every session with this operator; null where the sessions are never run.
  /// @param threads  of those sessions
  /// @param tensors  indices are below it
  ObserveOp(TensorObserver* observer, int threads, size_t tensors);

  const char* GetName() const { return kObserveOp; }
  size_t GetInputTypeCount() const { return 1; }
  size_t GetOutputTypeCount() const { return 1; }
  ONNXTensorElementDataType GetInputType(size_t) const { return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT; }
  ONNXTensorElementDataType GetOutputType(size_t) const { return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT; }
  OrtStatusPtr CreateKernelV2(const OrtApi& api, const OrtKernelInfo* info, void** kernel) const;

 private:
  TensorObserver* observer_;
  int threads_;
  size_t tensors_;
};

}  // namespace preon
