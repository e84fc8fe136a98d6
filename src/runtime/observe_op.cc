#include "runtime/observe_op.h"

#include <algorithm>

#include "runtime/op_tools.h"

namespace preon {
class ObserveKernel {
 public:
  ObserveKernel(TensorObserver* observer, int threads, const OrtKernelInfo* info)
      : observer_(observer), threads_(static_cast<size_t>(threads)) {
    const Ort::ConstKernelInfo attributes(info);
    index_ = static_cast<size_t>(attributes.GetAttribute<int64_t>(kIndexAttribute));
    block_ = attributes.GetAttribute<int64_t>(kBlockAttribute);
    channels_ = attributes.GetAttribute<int64_t>(kChannelsAttribute);
  }

  OrtStatusPtr ComputeV2(OrtKernelContext* ort_context) const {
    return AsOrtStatus([&] {
      const Ort::KernelContext context(ort_context);
      const Ort::ConstValue input = context.GetInput(0);
      ObservedValue value{
          .data = input.GetTensorData<float>(), .shape = input.GetTensorTypeAndShapeInfo().GetShape(), .block = block_};
      Ort::UnownedValue output = context.GetOutput(0, value.shape);
      float* passed_on = output.GetTensorMutableData<float>();
      if (passed_on != value.data) std::copy_n(value.data, ElementCount(value.shape), passed_on);
      if (block_ > 1) value.shape[1] = channels_;
      observer_->Observe(index_, value, RuntimeThreads(context, threads_));
    });
  }

 private:
  TensorObserver* observer_;
  size_t threads_;
  size_t index_;
  int64_t block_, channels_;
};

ObserveOp::ObserveOp(TensorObserver* observer, int threads) : observer_(observer), threads_(threads) {
  AliasOutputWithInput(*this);
}

OrtStatusPtr ObserveOp::CreateKernelV2(const OrtApi&, const OrtKernelInfo* info, void** kernel) const {
  return AsOrtStatus([&] { *kernel = new ObserveKernel(observer_, threads_, info); });
}

}  // namespace preon
