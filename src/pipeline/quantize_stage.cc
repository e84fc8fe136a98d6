#include "pipeline/quantize_stage.h"

#include <filesystem>
#include <mutex>
#include <optional>

#include "base/file.h"
#include "data/run_plan.h"
#include "eval/compare_models.h"
#include "eval/fusion_report.h"
#include "formats/quark_operators.h"
#include "ir/model_io.h"
#include "pipeline/nhwc_result.h"
#include "pipeline/placement.h"
#include "pipeline/select_ranges.h"
#include "pipeline/unfused.h"
#include "quantize/plan/plan_statistics.h"
#include "quantize/plan/target.h"
#include "quantize/write/apply_plan.h"
#include "runtime/session.h"

namespace preon {
namespace {

// Samples of the comparison with float: enough for its figures, little against calibration.
constexpr int64_t kMaxComparedSamples = 256;
constexpr double kLatencySeconds = 0.1;
// The measured ratio from which a result is called slower than float; below it is noise.
constexpr double kSlowerRatio = 1.1;
// A node left in float may take the reason to be one from its neighbours; that ends after a step or two.
constexpr int kMaxPlans = 4;

Status NotWritten(ErrorId id, const Job& job, std::string_view why, const Status& reason) {
  return Error(id, job.options.output, ": not written: ", why, ": ", reason.message());
}

// Loads the result as its users will, and reads back what the runtime made of it.
struct VerifiedModel {
  Session session;
  std::optional<Placement> placement;
};

Result<VerifiedModel> LoadForVerification(const Model& quantized, const PreparedModel& prepared, const Job& job,
                                          std::vector<std::string>& warnings) {
  PREON_ASSIGN_OR_RETURN(const TempDir folder, TempDir::Create(job.context.TempDir()));
  // Weights in a file are named relative to the model that the runtime was given.
  const std::string saved =
      quantized.weight_file
          ? std::filesystem::path(quantized.weight_file->path).replace_filename("optimized.onnx").string()
          : folder.File("optimized.onnx");
  const SessionOptions options{.threads = job.context.ThreadCount(), .save_optimized_to = saved};
  const Status valid = CheckModel(quantized);
  const auto source_is_valid = [&] {
    const Result<Model> source = LoadModel(prepared.model.source_path);
    return source.ok() && CheckModel(*source).ok();
  };
  if (!valid.ok() && source_is_valid()) {
    return NotWritten(ErrorId::kVerifyLoad, job, "the result breaks a rule of ONNX", valid);
  }
  if (!valid.ok())
    warnings.push_back(StrCat("the float model breaks a rule of ONNX, and so does the result: ", valid.message()));
  Result<Session> session = Session::OpenModel(quantized, options, job.context);
  if (!session.ok() && session.status().id() == ErrorId::kCancelled) return session.status();
  if (!session.ok()) {
    // It may be the runtime's own copy that could not be written.
    const bool loads = Session::OpenModel(quantized, {.threads = options.threads}, job.context).ok();
    if (!loads) return NotWritten(ErrorId::kVerifyLoad, job, "the runtime can't load the result", session.status());
    return NotWritten(ErrorId::kIoWrite, job, StrCat("no room for the runtime's graph in ", job.context.TempDir()),
                      session.status())
        .WithHint("--tmp-dir names another folder");
  }
  VerifiedModel verified{std::move(session).value(), std::nullopt};
  const Result<Model> optimized = LoadModel(options.save_optimized_to);
  if (!optimized.ok()) {
    warnings.push_back(StrCat("no placement: the runtime's graph can't be read back: ", optimized.status().message()));
    return verified;
  }
  verified.placement =
      JoinPlacement(prepared.plan, prepared.model.graph, ObserveKernels(quantized.graph, optimized->graph));
  return verified;
}

// The result of one plan.
struct Attempt {
  Model quantized;
  VerifiedModel verified;
  std::vector<std::string> warnings;
};

Result<Attempt> QuantizeOnce(const PreparedModel& prepared, const CalibrationData& data, Job& job) {
  job.clock.Begin("quantize");
  std::vector<std::string> warnings;
  PREON_ASSIGN_OR_RETURN(const PlanStatistics statistics, StatisticsOf(prepared, data, *job.choices.method, job));
  QdqPassOptions passes{.disabled = job.choices.disabled_passes, .enabled = job.choices.enabled_passes};
  passes.disabled.insert("to_nhwc");  // changes inputs and outputs: behind the verification, by GiveNhwc
  if (prepared.verifies_each_pass) {
    passes.verify = [&](const Model& before, const Model& after) {
      return CheckSameResults(before, after, prepared.first_run.batch, job.context);
    };
  }
  PREON_ASSIGN_OR_RETURN(Model quantized, ApplyPlan(prepared.model, prepared.plan, statistics, &warnings,
                                                    job.context.ThreadCount(), passes));
  if (job.options.value_info) InferShapes(quantized);
  job.clock.Begin("verify");
  PREON_ASSIGN_OR_RETURN(VerifiedModel verified, LoadForVerification(quantized, prepared, job, warnings));
  return Attempt{std::move(quantized), std::move(verified), std::move(warnings)};
}

// The outputs that are known, else those of the float model, which is opened when it comes to that.
class FloatModel {
 public:
  FloatModel(const FloatOutputs& known, const std::string& path, int threads, const RunContext& context)
      : known_(known), path_(path), threads_(threads), context_(context) {}

  Result<std::vector<NamedTensor>> Outputs(const Batch& batch) {
    if (const std::vector<NamedTensor>* outputs = known_.Find(batch)) return *outputs;
    {
      const std::lock_guard lock(opening_);
      if (!session_) {
        PREON_ASSIGN_OR_RETURN(session_, Session::OpenFile(path_, {.threads = threads_}));
      }
    }
    return OutputsOf(*session_, context_)(batch);
  }

 private:
  const FloatOutputs& known_;
  const std::string& path_;
  const int threads_;
  const RunContext& context_;
  std::mutex opening_;
  std::optional<Session> session_;
};

// `verified`: the quantized model's session on all threads.
Result<Comparison> CompareWithFloat(const PreparedModel& prepared, const Model& quantized, Session& verified,
                                    const FloatOutputs& float_outputs, const Job& job) {
  PREON_ASSIGN_OR_RETURN(std::unique_ptr<DataSource> source, job.open_samples(prepared.inputs, {}));
  source = Prefetch(std::move(source));
  const RunPlan runs = PlanRuns(quantized, job.context.ThreadCount(), *source, job.options.memory);
  std::optional<Session> beside;
  if (runs.at_once > 1) {
    PREON_ASSIGN_OR_RETURN(beside, Session::OpenModel(quantized, {.threads = runs.threads}, job.context));
  }
  FloatModel reference(float_outputs, prepared.model.source_path, runs.threads, job.context);
  PREON_ASSIGN_OR_RETURN(Comparison comparison,
                         Compare([&](const Batch& batch) { return reference.Outputs(batch); },
                                 OutputsOf(beside ? *beside : verified, job.context), *source,
                                 {.at_once = runs.at_once, .max_samples = kMaxComparedSamples}, job.context));
  for (const auto& [name, output] : comparison.outputs) {
    if (output.shape_differs > 0) {
      return Error(ErrorId::kVerifyOutput, job.options.output, ": not written: the shape of output '", name,
                   "' differs from float's in ", output.shape_differs, " runs");
    }
    if (output.not_finite == 0) continue;
    return Error(ErrorId::kVerifyOutput, job.options.output, ": not written: output '", name,
                 "' holds NaN or infinity where float has none");
  }
  return comparison;
}

}  // namespace

Result<QuantizeResult> QuantizeStage(PreparedModel& prepared, const CalibrationData& data,
                                     const FloatOutputs& float_outputs, Job& job) {
  PREON_ASSIGN_OR_RETURN(Attempt attempt, QuantizeOnce(prepared, data, job));
  for (int plans = 1; plans < kMaxPlans && attempt.verified.placement; ++plans) {
    PREON_ASSIGN_OR_RETURN(const bool changed, FallBackNotFused(*attempt.verified.placement, data, job, prepared));
    if (!changed) break;
    PREON_ASSIGN_OR_RETURN(attempt, QuantizeOnce(prepared, data, job));
  }
  VerifiedModel& verified = attempt.verified;
  QuantizeResult result{.samples = data.sample_count(),
                        .observed_tensors = static_cast<int64_t>(prepared.plan.ObservedTensors().size()),
                        .warnings = job.choices.warnings};
  result.warnings.insert(result.warnings.end(), prepared.warnings.begin(), prepared.warnings.end());
  result.warnings.insert(result.warnings.end(), attempt.warnings.begin(), attempt.warnings.end());
  for (const auto& [tensor, activation] : prepared.plan.activations)
    result.shared_tensors += !activation.shares.empty();

  job.clock.Begin("verify");
  const Batch& batch = prepared.first_run.batch;
  const auto first = verified.session.Run(batch.feeds, job.context);
  if (!first.ok() && first.status().id() == ErrorId::kCancelled) return first.status();
  if (!first.ok()) return NotWritten(ErrorId::kVerifyRun, job, "the result fails on sample 0", first.status());

  job.clock.Begin("compare");
  PREON_ASSIGN_OR_RETURN(result.compare,
                         CompareWithFloat(prepared, attempt.quantized, verified.session, float_outputs, job));
  job.clock.Begin("latency");
  PREON_ASSIGN_OR_RETURN(Session reference,
                         Session::OpenFile(prepared.model.source_path, {.threads = job.context.ThreadCount()}));
  PREON_ASSIGN_OR_RETURN(const auto latency, MeasureLatency(reference, verified.session, batch.feeds, batch.samples,
                                                            kLatencySeconds, job.context));
  result.latency = {latency.first, latency.second};
  const Target& target = *job.choices.target;
  result.computes_in_float = target.QuantizesActivations() && !target.FollowsRuntime() && verified.placement &&
                             verified.placement->integer_anchors == 0;
  if (!result.computes_in_float && latency.second.p50 > kSlowerRatio * latency.first.p50) {
    result.warnings.push_back(StrCat("the quantized model is slower than the float model on this machine",
                                     target.FollowsRuntime() ? "" : "; --target ort-cpu places quantizers for speed"));
  }
  result.placement = std::move(verified.placement);

  if (job.choices.enabled_passes.contains("to_nhwc")) {
    job.clock.Begin("verify");
    PREON_RETURN_IF_ERROR(GiveNhwc(attempt.quantized, batch, *first, job, result.warnings));
  }
  if (attempt.quantized.opsets.contains(kQuarkDomain)) result.needs.emplace_back("libpreon_ops.so");

  // Saving is deterministic: these are the bytes that were loaded and run above.
  job.clock.Begin("write");
  PREON_RETURN_IF_ERROR(SaveModel(attempt.quantized, job.options.output, {.external_data = job.options.external_data}));
  return result;
}

}  // namespace preon
