#include "pipeline/run_inputs.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/spelling.h"
#include "base/system.h"
#include "base/text.h"
#include "base/version.h"
#include "data/open_data_source.h"
#include "pipeline/calibrate_stage.h"
#include "pipeline/partial_calibration.h"
#include "pipeline/quantize_stage.h"
#include "runtime/custom_op_libraries.h"
#include "runtime/providers.h"
#include "runtime/session.h"

namespace preon {
namespace {

Status MakeFolder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (std::filesystem::is_directory(folder, error) && access(folder.c_str(), W_OK | X_OK) == 0) return Status::Ok();
  return Error(ErrorId::kBadOptionValue, "got '", folder, "', wanted a folder that can be made and written to");
}

// From a file, so that no samples are needed.
bool HasStatistics(const std::string& calib, const std::string& saved_ranges) {
  std::error_code ignored;
  return !calib.empty() || (!saved_ranges.empty() && std::filesystem::exists(saved_ranges, ignored));
}

// `one_run_will_do`: statistics come from a file or none are needed; one random run is then enough to see that the
// result runs.
Samples SamplesOf(const DataOptions& data, bool one_run_will_do) {
  if (data.from.has_samples()) {
    return {.open = [&data](const std::vector<TensorSpec>& inputs,
                            const SampleSelection& selection) { return OpenDataSource(data, inputs, selection); },
            .free_shapes = data.from.has_random() && data.random.values.shapes.empty()};
  }
  return one_run_will_do ? MadeUpSamples() : Samples{};
}

// @param or_cpu  where it is not there, with a warning
Result<Provider> ThereIs(const Provider& provider, bool or_cpu, std::vector<std::string>& warnings) {
  const Status there = CheckProvider(provider);
  if (there.ok()) return provider;
  if (!or_cpu) return Status(there).WithContext("--provider");
  warnings.push_back(StrCat("ExecutionProviders: ", there.message(), "; models run on the CPU (", there.hint(), ")"));
  return Provider();
}

void WarnOfAbsent(const std::vector<std::string>& names, const Provider& device, std::vector<std::string>& warnings) {
  if (names.empty()) return;
  warnings.push_back(StrCat("ExecutionProviders: preon does not use ", JoinNames(names), "; this ONNX Runtime has ",
                            JoinNames(AvailableProviders()), "; models run on ",
                            device.is_cpu() ? "the CPU" : device.Name()));
}

// What a report of a defect needs.
void TellEnvironment(const RunContext& context) {
  if (!context.Wants(LogLevel::kDebug)) return;
  const std::vector<std::string> features = CpuFeatures();
  context.Debug("preon ", kVersion, ", ONNX Runtime ", RuntimeVersion(), ", threads: ", context.ThreadCount(),
                ", processor: ", CpuModel(), features.empty() ? "" : StrCat(" (", Join(features, " "), ")"));
}

}  // namespace

Result<RunInputs> MakeRunInputs(const Options& options, const Builtins& builtins, const RunContext& context,
                                OpenSamples callers_samples) {
  TellEnvironment(context);
  PREON_ASSIGN_OR_RETURN(Choices choices, Resolve(options, builtins));
  if (!options.resources.tmp_dir.empty())
    PREON_RETURN_IF_ERROR(MakeFolder(options.resources.tmp_dir).WithContext("--tmp-dir"));
  const bool one_run_will_do = HasStatistics(options.calib, options.outputs.ranges) || !options.encodings.empty() ||
                               !choices.target->NeedsStatistics(choices.plan);
  Samples samples = callers_samples ? Samples{std::move(callers_samples), SampleOrigin::kCaller}
                                    : SamplesOf(options.data, one_run_will_do);
  auto clock = std::make_unique<StageClock>();
  RunContext timed = context;
  timed.stages = clock.get();
  if (const auto& paths = options.resources.custom_op_libraries; !paths.empty()) {
    auto opened = CustomOpLibraries::Open(paths);
    if (!opened.ok()) return std::move(opened).status().WithContext("--custom-op-library");
    timed.custom_ops = *std::move(opened);
  }
  PREON_ASSIGN_OR_RETURN(timed.device,
                         ThereIs(options.resources.provider, options.resources.prefers_provider, choices.warnings));
  WarnOfAbsent(options.resources.absent_providers, timed.device, choices.warnings);
  if (context.threads > context.ThreadCount()) {
    context.Log(LogLevel::kWarning, StrCat("--threads ", context.threads, ": using ", context.ThreadCount(),
                                           ", the number of cores that this process may use"));
  }
  return RunInputs{options, builtins, std::move(clock), std::move(timed), std::move(choices), std::move(samples)};
}

void RunInputs::TakeOfferedAlgorithms() {
  const bool collects = options.calib.empty() && options.outputs.ranges.empty();
  if (!samples.made_up() && collects) choices.algorithms.TakeOffered();
}

void RunInputs::TellChoices() const {
  if (!context.Wants(LogLevel::kDebug)) return;
  const PlanOptions& plan = choices.plan;
  const Target& target = *choices.target;
  std::vector<std::string> algorithms;
  for (const Algorithm* algorithm : choices.algorithms.list) algorithms.emplace_back(algorithm->name());
  context.Debug("choice: target ", target.name(), ", activations ",
                target.QuantizesActivations() ? plan.activation.name() : "float", ", weights ", plan.weight.name(),
                plan.block_size ? StrCat(" in blocks of ", *plan.block_size) : "", ", range method ",
                target.NeedsStatistics(plan) ? choices.method->name() : "none",
                ", algorithms: ", algorithms.empty() ? "none" : JoinNames(algorithms));
}

ModelPreparation RunInputs::Preparation() {
  TellChoices();
  return {{.options = options.prepare,
           .data = options.data,
           .calibration = options.calibration,
           .registry = builtins.passes,
           .passes = choices.passes,
           .target = *choices.target,
           .algorithms = choices.algorithms.list,
           .rewritten_by = choices.algorithms.rewriting,
           .plan = choices.plan},
          samples,
          context};
}

CalibrationStage RunInputs::Calibration(const ModelPreparation& preparation) const {
  return {{.options = options.calibration,
           .mode = choices.every_value ? SketchMode::kExact : options.calibration.observe.mode,
           .memory = options.resources.memory,
           .compat = choices.plan.compat,
           .activation = options.plan.activation.name(),
           .method = *choices.method,
           .algorithms = choices.algorithms.list,
           .offered = choices.algorithms.taken,
           .given = options.given},
          samples,
          preparation,
          context};
}

QuantizeStage RunInputs::Quantization() const {
  return {
      {.target = *choices.target,
       .method = *choices.method,
       .write = options.write,
       .to_nhwc = choices.passes.enabled.contains("to_nhwc") ? std::optional(options.prepare.nhwc_of) : std::nullopt,
       .float16 = options.prepare.float32_scales == false && choices.target->QuantizesActivations(),
       .output = options.outputs.file,
       .latency_seconds = options.latency_seconds,
       .memory = options.resources.memory,
       .warnings = choices.warnings},
      samples,
      context};
}

PartialCalibration RunInputs::Partial() const { return {options.data, options.calibration, options.outputs.file}; }

void WarnOfRandom(const SourceOptions& from, const std::vector<std::string>& eval, std::string_view what,
                  std::vector<std::string>& warnings) {
  if (from.has_random() || std::ranges::any_of(eval, IsRandomSource))
    warnings.push_back(StrCat("random samples: ", what, " do not describe real data"));
}

RunFacts RunFactsOf(const RunContext& context, std::string_view verb, int64_t workers_peak_rss_bytes) {
  context.stages->End();
  return {.verb = std::string(verb),
          .version = std::string(kVersion),
          .seconds = context.stages->seconds(),
          .total_seconds = context.stages->TotalSeconds(),
          .peak_rss_bytes = PeakRssBytes() + workers_peak_rss_bytes};
}

}  // namespace preon
