#include "runtime/op_tools.h"

#include <atomic>

#include "runtime/host_runtime.h"

namespace preon {
namespace {

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

OrtStatus* TakeOverRuntime(const OrtApiBase* runtime, const char* library) {
  const OrtApi* api = runtime->GetApi(ORT_API_VERSION);
  if (api == nullptr) {
    // In the oldest words that the host understands.
    const std::string message = StrCat("preon: the ", library, " library wants ONNX Runtime 1.", ORT_API_VERSION,
                                       " or later, got ", runtime->GetVersionString());
    return runtime->GetApi(1)->CreateStatus(ORT_NOT_IMPLEMENTED, message.c_str());
  }
  UseRuntimeOfHost(api);
  return nullptr;
}

ParallelFor RuntimeThreads(const Ort::KernelContext& context, size_t threads) {
  const auto run = [&context](size_t count, const std::function<void(size_t)>& task) {
    RunTasks(context, count, task);
  };
  return {run, threads};
}

void AliasOutputWithInput(OrtCustomOp& op) {
  op.GetAliasMap = [](int** input, int** output) -> size_t {
    *input = new int(0);
    *output = new int(0);
    return 1;
  };
  op.ReleaseAliasMap = [](int* input, int* output) {
    delete input;
    delete output;
  };
}

}  // namespace preon
