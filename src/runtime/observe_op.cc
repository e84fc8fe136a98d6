#include "runtime/observe_op.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "runtime/op_tools.h"

namespace preon {

ObservedLayout::ObservedLayout(const Ort::ConstKernelInfo& node)
    : block_(node.GetAttribute<int64_t>(kBlockAttribute)), channels_(node.GetAttribute<int64_t>(kChannelsAttribute)) {
  if (block_ < 1) throw std::runtime_error(StrCat("Observe: got block ", block_, ", wanted 1 or more"));
}

ObservedValue ObservedLayout::Value(const float* data, Shape shape) const {
  if (block_ == 1) return {.data = data, .shape = std::move(shape), .block = block_};
  const int64_t stored = shape.size() < 2 ? 0 : shape[1];
  if (stored == 0 || stored % block_ != 0 || channels_ > stored || channels_ <= stored - block_) {
    throw std::runtime_error(StrCat("Observe: ", channels_, " channels in blocks of ", block_,
                                    " do not fit a tensor of shape ", ShapeToString(shape)));
  }
  shape[1] = channels_;
  return {.data = data, .shape = std::move(shape), .block = block_};
}

size_t CheckedIndex(int64_t index, size_t tensors) {
  if (index < 0 || static_cast<size_t>(index) >= tensors)
    throw std::runtime_error(StrCat("an observer of tensor ", index, "; the model observes ", tensors));
  return static_cast<size_t>(index);
}

class ObserveKernel {
 public:
  ObserveKernel(TensorObserver* observer, int threads, size_t tensors, const Ort::ConstKernelInfo& node)
      : observer_(observer),
        threads_(static_cast<size_t>(threads)),
        index_(CheckedIndex(node.GetAttribute<int64_t>(kIndexAttribute), tensors)),
        layout_(node) {}

  OrtStatusPtr ComputeV2(OrtKernelContext* ort_context) const {
    return AsOrtStatus([&] {
      const Ort::KernelContext context(ort_context);
      const Ort::ConstValue input = context.GetInput(0);
      const float* data = input.GetTensorData<float>();
      const Shape shape = input.GetTensorTypeAndShapeInfo().GetShape();
      float* passed_on = context.GetOutput(0, shape).GetTensorMutableData<float>();
      if (passed_on != data) std::copy_n(data, ElementCount(shape), passed_on);
      observer_->Observe(index_, layout_.Value(data, shape), RuntimeThreads(context, threads_));
    });
  }

 private:
  TensorObserver* observer_;
  size_t threads_;
  size_t index_;
  ObservedLayout layout_;
};

ObserveOp::ObserveOp(TensorObserver* observer, int threads, size_t tensors)
    : observer_(observer), threads_(threads), tensors_(tensors) {
  AliasOutputWithInput(*this);
}

OrtStatusPtr ObserveOp::CreateKernelV2(const OrtApi&, const OrtKernelInfo* info, void** kernel) const {
  return AsOrtStatus([&] { *kernel = new ObserveKernel(observer_, threads_, tensors_, Ort::ConstKernelInfo(info)); });
}

}  // namespace preon
