#include "runtime/observe_add_op.h"

#include <stdexcept>

#include "kernels/add.h"
#include "runtime/op_tools.h"

namespace preon {

class ObserveAddKernel {
 public:
  ObserveAddKernel(TensorObserver* observer, int threads, size_t tensors, const Ort::ConstKernelInfo& node)
      : observer_(observer), threads_(static_cast<size_t>(threads)), layout_(node) {
    for (const int64_t index : node.GetAttributes<int64_t>(kIndicesAttribute)) {
      indices_.push_back(index == kNotObserved ? std::nullopt : std::optional(CheckedIndex(index, tensors)));
    }
    if (indices_.size() != 3)
      throw std::runtime_error(StrCat("ObserveAdd: got ", indices_.size(), " indices, wanted 3"));
  }

  OrtStatusPtr ComputeV2(OrtKernelContext* ort_context) const {
    return AsOrtStatus([&] {
      const Ort::KernelContext context(ort_context);
      const Shape shape = context.GetInput(0).GetTensorTypeAndShapeInfo().GetShape();
      const Shape other = context.GetInput(1).GetTensorTypeAndShapeInfo().GetShape();
      // The model says that they are equal; the runtime, too, relies on that.
      if (shape != other) {
        throw std::runtime_error(StrCat("Add: shapes ", ShapeToString(shape), " and ", ShapeToString(other),
                                        " where the model has equal ones"));
      }
      const float* a = context.GetInput(0).GetTensorData<float>();
      const float* b = context.GetInput(1).GetTensorData<float>();
      float* sum = context.GetOutput(0, shape).GetTensorMutableData<float>();
      const auto add = [=](int64_t begin, int64_t end) {
        AddFloats(a + begin, b + begin, static_cast<size_t>(end - begin), sum + begin);
      };
      std::vector<ObservedStep> steps;
      if (indices_[0]) steps.push_back({layout_.Value(a, shape), indices_[0], {}});
      if (indices_[1]) steps.push_back({layout_.Value(b, shape), indices_[1], {}});
      steps.push_back({layout_.Value(sum, shape), indices_[2], add});
      observer_->ObserveTogether(steps, RuntimeThreads(context, threads_));
    });
  }

 private:
  TensorObserver* observer_;
  size_t threads_;
  std::vector<std::optional<size_t>> indices_;
  ObservedLayout layout_;
};

ObserveAddOp::ObserveAddOp(TensorObserver* observer, int threads, size_t tensors, SumMemory memory)
    : observer_(observer), threads_(threads), tensors_(tensors), memory_(memory) {
  if (memory == SumMemory::kInput0) AliasOutputWithInput(*this);
}

OrtStatusPtr ObserveAddOp::CreateKernelV2(const OrtApi&, const OrtKernelInfo* info, void** kernel) const {
  return AsOrtStatus(
      [&] { *kernel = new ObserveAddKernel(observer_, threads_, tensors_, Ort::ConstKernelInfo(info)); });
}

}  // namespace preon
