#include "api/calibrate_stage.h"

#include <algorithm>
#include <utility>

#include "api/partial_calibration.h"
#include "base/system.h"
#include "quantize/bias_correction.h"
#include "quantize/channel_scales.h"

namespace preon {
namespace {

// Counted up when the rewrites change so that tensors of older .calib files may be missing.
constexpr int kGraphVersion = 4;

constexpr int64_t kCheckpointSeconds = 10;

std::string PlacementSetup(const QuantPlan& plan) { return StrCat("target=", plan.target, " graph=", kGraphVersion); }

// Two words.
std::string ModeSetup(const CalibrateOptions& options) {
  return StrCat(options.mode == SketchMode::kExact ? " exact" : " sampled", options.optimize ? " optimized" : " as-is");
}

std::string_view WithoutMode(std::string_view setup) {
  setup = setup.substr(0, setup.rfind(' '));
  return setup.substr(0, setup.rfind(' '));
}

bool SameFeeds(const std::vector<NamedTensor>& a, const std::vector<NamedTensor>& b) {
  return std::ranges::equal(a, b, [](const NamedTensor& left, const NamedTensor& right) {
    return left.name == right.name && left.tensor.shape() == right.tensor.shape() &&
           left.tensor.type() != DataType::kString && std::ranges::equal(left.tensor.bytes(), right.tensor.bytes());
  });
}

struct Pass {
  bool check_rewrites = true;
  bool keep_model = true;
  TrialSamples* trial = nullptr;
  FloatOutputs* float_outputs = nullptr;
};

// Which statistics of which tensors.
CalibrateOptions StatisticsFor(const PreparedModel& prepared, const Job& job) {
  CalibrateOptions options{.mode = job.options.sketch_mode, .optimize = job.options.optimize_observed};
  for (const auto& [input, observed] : MeanSources(prepared.model.graph, prepared.plan))
    options.channel_means.push_back(observed);
  if (job.choices.target->FollowsRuntime()) options.per_channel = ScalableTensors(prepared.model.graph, prepared.plan);
  return options;
}

std::map<std::string, std::string> SharedRanges(const QuantPlan& plan) {
  std::map<std::string, std::string> shared;
  for (const auto& [tensor, activation] : plan.activations) {
    if (!activation.shares.empty()) shared[tensor] = activation.shares;
  }
  return shared;
}

Result<CalibrationData> CalibrateOnce(PreparedModel& prepared, Job& job, const Pass& pass) {
  job.clock.Begin("calibrate");
  PREON_ASSIGN_OR_RETURN(std::unique_ptr<DataSource> source, job.open_samples(prepared.inputs));
  source = Prefetch(std::move(source));
  CalibrateOptions options = StatisticsFor(prepared, job);
  if (pass.trial != nullptr) pass.trial->Clear();
  if (pass.float_outputs != nullptr) pass.float_outputs->Clear();
  options.see_run = [&, first = true](const Batch& batch, const std::vector<NamedTensor>& outputs) mutable {
    if (pass.trial != nullptr) pass.trial->Keep(batch, outputs);
    if (pass.float_outputs != nullptr) pass.float_outputs->Keep(batch, outputs);
    if (!std::exchange(first, false)) return Status::Ok();
    if (pass.check_rewrites) {
      // A caller's own stream may give other samples every time it is opened.
      PREON_RETURN_IF_ERROR(SameFeeds(batch.feeds, prepared.first_run.batch.feeds) ? CheckRewrites(prepared, outputs)
                                                                                   : CheckRewrites(prepared, job));
    }
    if (!pass.keep_model) {
      prepared.model = Model();
      ReleaseFreeMemory();
    }
    return Status::Ok();
  };
  const std::string setup = StrCat(PlacementSetup(prepared.plan), ModeSetup(options));
  const PartialCalibration partial(job.options, setup);
  if (job.options.resume) {
    PREON_ASSIGN_OR_RETURN(options.start, partial.Load(prepared.model.fingerprint));
    options.checkpoint_seconds = static_cast<double>(job.options.checkpoint_seconds.value_or(kCheckpointSeconds));
    options.checkpoint = [&](const CalibrationData& so_far) { return partial.Save(so_far); };
  }
  PREON_ASSIGN_OR_RETURN(CalibrationData data,
                         Calibrate(prepared.model, prepared.plan.ObservedTensors(), *source, options, job.context));
  data.setup = setup;
  data.shared = SharedRanges(prepared.plan);
  return data;
}

Result<CalibrationData> CalibrateChecked(PreparedModel& prepared, Job& job, Pass pass) {
  Result<CalibrationData> data = CalibrateOnce(prepared, job, pass);
  if (data.ok() || data.status().id() != ErrorId::kPassFailed) return data;
  PREON_ASSIGN_OR_RETURN(prepared, PrepareWithCare(prepared.model.source_path, job, data.status()));
  pass.check_rewrites = false;
  return CalibrateOnce(prepared, job, pass);
}

}  // namespace

Result<CalibrationData> CalibrateStage(PreparedModel& prepared, Job& job, TrialSamples* trial,
                                       FloatOutputs& float_outputs) {
  return CalibrateChecked(prepared, job, {.trial = trial, .float_outputs = &float_outputs});
}

Result<CalibrationData> CalibrateOnly(PreparedModel& prepared, Job& job) {
  return CalibrateChecked(prepared, job, {.keep_model = false});
}

Instrumentation InstrumentationOf(const PreparedModel& prepared, const Job& job) {
  const CalibrateOptions options = StatisticsFor(prepared, job);
  const Graph& graph = prepared.model.graph;
  Instrumentation plan{.inputs = graph.inputs(), .outputs = graph.outputs(), .tensors = prepared.plan.ObservedTensors(),
                       .per_channel = {options.per_channel.begin(), options.per_channel.end()},
                       .channel_means = {options.channel_means.begin(), options.channel_means.end()},
                       .mode = options.mode, .calib_out = job.options.calib_out, .every = job.options.every,
                       .one_in = job.options.one_in};
  plan.header.model_fingerprint = prepared.model.fingerprint;
  plan.header.setup = StrCat(PlacementSetup(prepared.plan), ModeSetup(options));
  plan.header.shared = SharedRanges(prepared.plan);
  plan.header.origins = OriginsOf(graph, plan.tensors);
  return plan;
}

Status CheckCalibrationFits(const CalibrationData& data, const PreparedModel& prepared, const std::string& path) {
  PREON_RETURN_IF_ERROR(CheckSameModel(data.model_fingerprint, prepared.model.fingerprint).WithContext(path));
  const std::string wanted = PlacementSetup(prepared.plan);
  if (!data.setup.starts_with(wanted + " ")) {
    return Error(ErrorId::kCalibFileMismatch, path, ": made with '", data.setup, "', wanted '", wanted, "'");
  }
  return Status::Ok();
}

Status CheckComparable(const CalibrationData& data, const CalibrationData& wanted) {
  PREON_RETURN_IF_ERROR(CheckSameModel(data.model_fingerprint, wanted.model_fingerprint));
  if (WithoutMode(data.setup) == WithoutMode(wanted.setup)) return Status::Ok();
  return Error(ErrorId::kCalibFileMismatch, "made with '", data.setup, "', wanted '", WithoutMode(wanted.setup), "'");
}

}  // namespace preon
