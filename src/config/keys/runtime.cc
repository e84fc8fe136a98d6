// What a run needs around it.
#include <algorithm>
#include <array>
#include <functional>

#include "base/spelling.h"
#include "base/system.h"
#include "base/text.h"
#include "config/keys/key_setters.h"
#include "config/keys/key_spec.h"
#include "config/option_values.h"
#include "data/files/quoted_names.h"

namespace preon {
namespace {

constexpr std::string_view kOurProvider = "CPUExecutionProvider", kCudaProvider = "CUDAExecutionProvider";
// ONNX Runtime's names, those of older releases too; but for ours, only packages made for a device have them.
constexpr auto kProviders = std::to_array<std::string_view>(
    {"ACLExecutionProvider",      "ArmNNExecutionProvider",    "AzureExecutionProvider",
     "CANNExecutionProvider",     "CUDAExecutionProvider",     "CoreMLExecutionProvider",
     "DmlExecutionProvider",      "DnnlExecutionProvider",     "JsExecutionProvider",
     "MIGraphXExecutionProvider", "NnapiExecutionProvider",    "NvTensorRTRTXExecutionProvider",
     "OpenVINOExecutionProvider", "QNNExecutionProvider",      "ROCMExecutionProvider",
     "RknpuExecutionProvider",    "TensorrtExecutionProvider", "TvmExecutionProvider",
     "VSINPUExecutionProvider",   "VitisAIExecutionProvider",  "WebGpuExecutionProvider",
     "WebNNExecutionProvider",    "XnnpackExecutionProvider",  kOurProvider});

bool IsGiven(const std::vector<Setting>& settings, std::string_view option) {
  return std::ranges::find(settings, option, &Setting::name) != settings.end();
}

Status SetProviders(Options& options, const KeyValue& value) {
  const std::vector<std::string> known(kProviders.begin(), kProviders.end());
  std::vector<std::string> absent;  // ONNX Runtime tells which are there when models run
  for (const std::string& name : value.texts) {
    if (std::ranges::find(known, name) == known.end())
      return BadValue(name, StrCat("names of ONNX Runtime's execution providers, of which preon uses ", kOurProvider,
                                   " and ", kCudaProvider, DidYouMean(name, known)));
    if (name != kCudaProvider && name != kOurProvider) absent.push_back(name);
  }
  // The first one that can be had counts, as in ONNX Runtime; what --provider says counts more.
  const auto first = std::ranges::find_if(
      value.texts, [](const std::string& name) { return name == kCudaProvider || name == kOurProvider; });
  if (first != value.texts.end() && *first == kCudaProvider && !IsGiven(options.given.settings, "provider")) {
    options.resources.provider.cuda_device = 0;
    options.resources.prefers_provider = true;
  }
  options.resources.absent_providers = std::move(absent);
  return Status::Ok();
}

// What was set by itself, before or after, counts.
Status SetUnlessGiven(Options& options, std::string_view option, const std::string& to) {
  return IsGiven(options.given.settings, option) ? Status::Ok() : SetOption(options, option, to);
}

Status SetPreference(Options& options, const KeyValue& value) {
  constexpr int64_t kMostWorkers = 8;
  if (value.text == "accuracy") return Status::Ok();
  const bool speed = value.text == "speed";
  PREON_RETURN_IF_ERROR(SetUnlessGiven(options, "memory", speed ? "fast" : "low"));
  return SetUnlessGiven(options, "workers",
                        speed ? std::to_string(std::min<int64_t>(AvailableCores(), kMostWorkers)) : "1");
}

// "NAME:[1,3,8,8];NAME:[…]": the last colon separates.
Status SetShapes(Options& options, const KeyValue& value) {
  std::string text = value.text;
  std::erase(text, ' ');
  for (const std::string& part : Split(text, ';')) {
    const size_t colon = part.rfind(':');
    if (colon == std::string::npos || colon == 0 || part.substr(colon, 2) != ":[" || !part.ends_with(']'))
      return BadValue(value.text, "NAME:[SIZE,SIZE,...];NAME:[...]");
    std::string sizes = part.substr(colon + 2, part.size() - colon - 3);
    std::ranges::replace(sizes, ',', 'x');
    PREON_RETURN_IF_ERROR(SetOption(options, "fix-shape", StrCat(part.substr(0, colon), "=", sizes)));
  }
  return SetOption(options, "value-info", "true");
}

constexpr KeySpec kRuntimeKeys[] = {
    {.name = "AlignEltwiseQuantType",
     .type = KeyType::kFlag,
     .fallback = "false",
     .meaning = "constants of element-wise ops take the activation type (Extended only)",
     .here = "targets quark, ort and simulate: also constants of element-wise operators",
     .set = SetFlag<&OpListOptions::pairs, &PairOptions::align_elementwise>},
    {.name = "CopyBiasInit",
     .type = KeyType::kTexts,
     .fallback = "[\"Conv\", \"ConvTranspose\", \"Gemm\"]",
     .meaning = "duplicate shared bias initializers",
     .otherwise = "acts only for 8/16-bit integer types and a CalibrationMethod",
     .here = "always: each reader of a shared bias gets its own codes",
     .set =
         [](Options& o, const KeyValue& v) {
           o.prepare.copy_bias = v.texts;
           return Status::Ok();
         }},
    {.name = "CopySharedInit",
     .type = KeyType::kTexts,
     .fallback = "null",
     .meaning = "duplicate shared initializers; [] = all op types, null = off",
     .here = "operators of these types read copies, so that each gets its own codes",
     .set =
         [](Options& o, const KeyValue& v) {
           o.prepare.copy_shared = v.texts;
           return Status::Ok();
         }},
    {.name = "CryptoMode",
     .type = KeyType::kFlag,
     .fallback = "false",
     .meaning = "no messages, no plain intermediate files",
     .here = "a model in memory gives a model in memory; nothing gets to the disk, and messages are numbers of errors "
             "alone; OptimizeModel is off",
     .set =
         [](Options& o, const KeyValue& v) {
           o.crypto.mode = v.on;
           return Status::Ok();
         }},
    {.name = "EncryptionAlgorithm",
     .type = KeyType::kText,
     .fallback = "null",
     .meaning = "AES-256 or nothing; crypto mode only",
     .range = "AES-256",
     .here = "no effect: in crypto mode temporary files stay in memory; --key-file encrypts a result that is written",
     .set = SetNothing},
    {.name = "ExecutionProviders",
     .type = KeyType::kTexts,
     .fallback = "[\"CPUExecutionProvider\"]",
     .meaning = "runtime providers for calibration and evaluation",
     .here = "CUDAExecutionProvider is --provider cuda, on the CPU with a warning where it is not there; others give a "
             "warning",
     .set = SetProviders},
    {.name = "FillAllValueInfo",
     .type = KeyType::kFlag,
     .fallback = "false",
     .meaning = "write type and shape of every intermediate tensor",
     .here = "--value-info",
     .set = [](Options& o, const KeyValue& v) { return SetIfOn(o, v, "value-info"); }},
    {.name = "FixShapes",
     .type = KeyType::kText,
     .fallback = "null",
     .meaning = "fixed shapes 'name:[..];name:[..]' for inputs and outputs",
     .here = "--fix-shape for each of them, and --value-info",
     .set = SetShapes},
    {.name = "QuantizationPreference",
     .type = KeyType::kText,
     .fallback = "null",
     .meaning = "what other options should favour",
     .range = "accuracy|speed|resource_efficiency",
     .here = "speed: --memory fast and a worker for each core; resource_efficiency: --memory low, one worker; options "
             "that are set explicitly stay",
     .set = SetPreference},
    {.name = "RemoveInputInit",
     .type = KeyType::kFlag,
     .fallback = "true",
     .meaning = "initializers are no longer graph inputs",
     .here = "false: --disable-pass remove_initializer_inputs",
     .set = [](Options& o, const KeyValue& v) { return SetIfOff(o, v, "disable-pass", "remove_initializer_inputs"); }},
    {.name = "TmpDir",
     .type = KeyType::kText,
     .fallback = "null",
     .meaning = "directory for temporary files",
     .here = "--tmp-dir",
     .set = [](Options& o, const KeyValue& v) { return SetOption(o, "tmp-dir", v.text); }},
    {.name = "UserCustomOpLibPath",
     .type = KeyType::kTexts,
     .fallback = "null",
     .meaning = "custom-op libraries to register",
     .here = "--custom-op-library for each of them, in this run alone",
     .set =
         [](Options& o, const KeyValue& v) {
           for (const std::string& library : v.texts) PREON_RETURN_IF_ERROR(SetOption(o, "custom-op-library", library));
           return Status::Ok();
         }},
};

}  // namespace

std::span<const KeySpec> RuntimeKeys() { return kRuntimeKeys; }

}  // namespace preon
