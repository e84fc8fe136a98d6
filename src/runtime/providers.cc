#include "runtime/providers.h"

#include <algorithm>
#include <array>
#include <memory>

#include "base/spelling.h"
#include "runtime/ort_guard.h"

namespace preon {
namespace {

constexpr std::string_view kCuda = "CUDAExecutionProvider";

}  // namespace

std::vector<std::string> AvailableProviders() { return Ort::GetAvailableProviders(); }

Status CheckProvider(const Provider& provider) {
  if (provider.is_cpu()) return Status::Ok();
  const std::vector<std::string> there = AvailableProviders();
  if (std::ranges::find(there, kCuda) == there.end()) {
    return Error(ErrorId::kProvider, provider.Name(), ": this ONNX Runtime has no ", kCuda, "; it has ",
                 JoinNames(there))
        .WithHint("build with ORT_ROOT=DIR, an ONNX Runtime for CUDA (docs/design/cuda.md)");
  }
  return GuardOrt(
      ErrorId::kProvider,
      [&] {
        SharedOrtEnv();  // it has the log that providers write to
        Ort::SessionOptions options;
        AppendProvider(provider, options);
      },
      provider.Name(), ": ");
}

void AppendProvider(const Provider& provider, OrtSessionOptions* options) {
  if (provider.is_cpu()) return;
  const OrtApi& api = Ort::GetApi();
  OrtCUDAProviderOptionsV2* created = nullptr;
  Ort::ThrowOnError(api.CreateCUDAProviderOptions(&created));
  const std::unique_ptr<OrtCUDAProviderOptionsV2, decltype(api.ReleaseCUDAProviderOptions)> cuda(
      created, api.ReleaseCUDAProviderOptions);
  const std::string device = std::to_string(*provider.cuda_device);
  // Products with all digits of a float, as on the CPU; memory as it is needed, since others use the device, too; no
  // search for kernels that takes longer than a calibration.
  constexpr std::array keys = {"device_id", "use_tf32", "arena_extend_strategy", "cudnn_conv_algo_search"};
  const std::array values = {device.c_str(), "0", "kSameAsRequested", "HEURISTIC"};
  Ort::ThrowOnError(api.UpdateCUDAProviderOptions(cuda.get(), keys.data(), values.data(), keys.size()));
  Ort::ThrowOnError(api.SessionOptionsAppendExecutionProvider_CUDA_V2(options, cuda.get()));
}

}  // namespace preon
