#include "runtime/observe_op.h"

#include <algorithm>
#include <atomic>
#include <exception>

namespace preon {
namespace {

/// Runs `body`; what it throws becomes the runtime's kind of error, since nothing may be thrown through its frames.
template <typename Body>
OrtStatusPtr AsOrtStatus(Body&& body) {
  try {
    body();
    return nullptr;
  } catch (const std::exception& error) {
    return Ort::GetApi().CreateStatus(ORT_FAIL, error.what());
  }
}

/// task(index) on the runtime's threads. A task's exception must not reach the pool: the first one is kept and
/// thrown here.
void RunTasks(const Ort::KernelContext& context, size_t count, const std::function<void(size_t)>& task) {
  struct Work {
    const std::function<void(size_t)>& task;
    std::atomic<bool> failed = false;
    std::exception_ptr failure;
  } work{task};
  const auto run = [](void* data, size_t index) {
    auto& shared = *static_cast<Work*>(data);
    try {
      shared.task(index);
    } catch (...) {
      if (!shared.failed.exchange(true)) shared.failure = std::current_exception();
    }
  };
  context.ParallelFor(run, count, /*num_batch=*/0, &work);
  if (work.failure != nullptr) std::rethrow_exception(work.failure);
}

}  // namespace

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
      const auto run = [&context](size_t count, const std::function<void(size_t)>& task) {
        RunTasks(context, count, task);
      };
      observer_->Observe(index_, value, {run, threads_});
    });
  }

 private:
  TensorObserver* observer_;
  size_t threads_;
  size_t index_;
  int64_t block_, channels_;
};

ObserveOp::ObserveOp(TensorObserver* observer, int threads) : observer_(observer), threads_(threads) {
  GetAliasMap = [](int** input, int** output) -> size_t {
    *input = new int(0);
    *output = new int(0);
    return 1;
  };
  ReleaseAliasMap = [](int* input, int* output) {
    delete input;
    delete output;
  };
}

OrtStatusPtr ObserveOp::CreateKernelV2(const OrtApi&, const OrtKernelInfo* info, void** kernel) const {
  return AsOrtStatus([&] { *kernel = new ObserveKernel(observer_, threads_, info); });
}

}  // namespace preon
