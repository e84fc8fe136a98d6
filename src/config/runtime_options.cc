#include "config/runtime_options.h"

#include "base/text.h"
#include "config/option_values.h"

namespace preon {
namespace {

constexpr int64_t kMostThreads = 4096, kMostDevices = 1024;

Status SetThreads(Options& options, const std::string& value) {
  int64_t threads = 0;
  PREON_RETURN_IF_ERROR(SetCount(threads, value, 1));
  if (threads > kMostThreads) return BadValue(value, StrCat("at most ", kMostThreads));
  options.resources.threads = static_cast<int>(threads);
  return Status::Ok();
}

Status SetProvider(Options& options, const std::string& value) {
  options.resources.prefers_provider = false;
  constexpr std::string_view kWanted = "cpu, cuda or cuda:N, with the number of a device";
  if (value == "cpu" || value == "cuda") {
    options.resources.provider.cuda_device = value == "cpu" ? std::nullopt : std::optional(0);
    return Status::Ok();
  }
  constexpr std::string_view kCuda = "cuda:";
  int64_t device = 0;
  if (!value.starts_with(kCuda) || !SetCount(device, value.substr(kCuda.size()), 0).ok() || device >= kMostDevices)
    return BadValue(value, kWanted);
  options.resources.provider.cuda_device = static_cast<int>(device);
  return Status::Ok();
}

constexpr OptionSpec kRuntimeOptions[] = {
    {"threads", "N", "number of threads (default: all cores that this process may use)", OptionKind::kValue,
     kNeedsData | kVerbDoctor, SetThreads},
    {"provider", "P",
     "what computes float models while they are calibrated, and what run and compare measure: cpu (default), cuda or "
     "cuda:N, device N; needs an ONNX Runtime for CUDA",
     OptionKind::kValue, kVerbQuantize | kVerbCalibrate | kVerbRun | kVerbCompare, SetProvider},
    {"custom-op-library", "FILE",
     "shared library with operators that the model uses and ONNX Runtime does not have, as programs register it there; "
     "its code runs",
     OptionKind::kList, kNeedsData | kVerbInspect | kVerbPasses,
     [](Options& o, const std::string& v) {
       o.resources.custom_op_libraries.push_back(v);
       return Status::Ok();
     }},
    {"tmp-dir", "DIR", "folder for temporary files, created if missing (default: the system's)", OptionKind::kValue,
     kNeedsData,
     [](Options& o, const std::string& v) {
       o.resources.tmp_dir = v;
       return Status::Ok();
     }},
};

}  // namespace

std::span<const OptionSpec> RuntimeOptions() { return kRuntimeOptions; }

}  // namespace preon
