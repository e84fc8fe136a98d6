#include "pipeline/calibrate_stage.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "base/exit_status.h"
#include "base/file.h"
#include "base/system.h"
#include "data/data_options.h"
#include "pipeline/partial_calibration.h"
#include "pipeline/restore_stage.h"
#include "pipeline/workers.h"
#include "quantize/plan/quant_plan.h"
#include "quantize/write/bias_correction.h"
#include "quantize/write/channel_scales.h"

namespace preon {
namespace {

// Counted up when the rewrites change so that tensors of older .calib files may be missing.
constexpr int kGraphVersion = 5;

constexpr int64_t kCheckpointSeconds = 10;

// Float16 models have tensors at their borders that float32 models have not.
std::string PlacementSetup(const PreparedModel& prepared, const Job& job) {
  const bool converted = job.options.prepare.float16 == Float16::kConvert;
  return StrCat("target=", prepared.plan.target, " graph=", kGraphVersion,
                prepared.was_float16 ? (converted ? " float16=convert" : " float16=keep-io") : "");
}

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
  bool collect = true;
  bool check_rewrites = true;
  bool keep_model = true;
  TrialSamples* trial = nullptr;
  FloatOutputs* float_outputs = nullptr;
  PartialCalibration* partial = nullptr;  // null: an interrupted pass leaves nothing
};

// One collector per tensor whose range the plan wants.
Result<RangeCollection> MakeCollection(const PreparedModel& prepared, const Job& job) {
  std::vector<std::string> tensors = prepared.plan.ObservedTensors();
  std::vector<std::unique_ptr<RangeCollector>> collectors(tensors.size());
  for (const std::string& tensor : prepared.plan.RangeTensors()) {
    const auto observed = std::ranges::lower_bound(tensors, prepared.plan.ObservedFor(tensor));
    std::unique_ptr<RangeCollector>& collector = collectors[static_cast<size_t>(observed - tensors.begin())];
    if (collector != nullptr) continue;
    const ActivationPlan& activation = prepared.plan.activations.at(tensor);
    PREON_ASSIGN_OR_RETURN(collector, job.choices.method->Collect({activation.format, activation.scale_type}));
  }
  return RangeCollection::Create(std::move(tensors), std::move(collectors), job.context.TempDir());
}

// Which statistics of which tensors.
CalibrateOptions StatisticsFor(const PreparedModel& prepared, const Job& job) {
  CalibrateOptions options{.mode = job.options.calibration.observe.mode,
                           .optimize = job.options.calibration.observe.optimize,
                           .memory = job.options.resources.memory,
                           .per_sample = job.options.calibration.observe.per_sample};
  if (job.choices.plan.compat != Compat::kOff) {
    // The values of the graph as it is, which depend on the number of threads.
    options.optimize = false;
    options.serial_threads = 1;
  }
  for (const auto& [input, observed] : MeanSources(prepared.model.graph, prepared.plan))
    options.channel_means.push_back(observed);
  if (job.choices.target->FollowsRuntime()) options.per_channel = ScalableTensors(prepared.model.graph, prepared.plan);
  return options;
}

std::vector<std::string> ToObserve(const PreparedModel& prepared, const Job& job) {
  std::set<std::string> tensors;
  if (!job.saved) {
    for (std::string& tensor : prepared.plan.ObservedTensors()) tensors.insert(std::move(tensor));
    if (job.options.algorithms.bias_correction) {
      for (const auto& [input, observed] : MeanSources(prepared.model.graph, prepared.plan)) tensors.insert(observed);
    }
    return {tensors.begin(), tensors.end()};
  }
  for (const std::string& tensor : MissingRanges(prepared, job)) tensors.insert(prepared.plan.ObservedFor(tensor));
  return {tensors.begin(), tensors.end()};
}

std::map<std::string, std::string> SharedRanges(const QuantPlan& plan) {
  std::map<std::string, std::string> shared;
  for (const auto& [tensor, activation] : plan.activations) {
    if (!activation.shares.empty()) shared[tensor] = activation.shares;
  }
  return shared;
}

// What --resume or the task of a worker leave to be done; `start` is known already.
Result<SampleSelection> SelectSamples(const Job& job, const std::optional<CalibrationData>& start) {
  SampleSelection selection{.limit = job.options.calibration.samples};
  if (start) selection.seen = start->samples;
  if (const std::optional<WorkerTask>& task = job.options.calibration.workers.task) {
    selection.part = task->part;
    selection.parts = task->parts;
    if (!task->seen.empty()) {
      PREON_ASSIGN_OR_RETURN(CalibrationData seen, LoadCalibration(task->seen));
      selection.seen = std::move(seen.samples);
    }
  }
  return selection;
}

// The trial's samples as a pass of this process would have seen them: from the same session.
Status RunTrialSamples(const PreparedModel& prepared, Job& job, TrialSamples& trial) {
  PREON_ASSIGN_OR_RETURN(std::unique_ptr<DataSource> source,
                         job.open_samples(prepared.inputs, {.limit = job.options.calibration.samples}));
  CalibrateOptions options = StatisticsFor(prepared, job);
  options.see_run = [&](const Batch& batch, const std::vector<NamedTensor>& outputs) {
    trial.Keep(batch, outputs);
    return Status::Ok();
  };
  options.memory = MemoryUse::kLow;  // one after the other: what was kept decides what is wanted next
  RunContext quiet = job.context;
  quiet.progress = {};
  const std::unique_ptr<DataSource> wanted = OnlyWanted(std::move(source), trial);
  return Calibrate(prepared.model, prepared.plan.ObservedTensors(), *wanted, options, quiet).status();
}

// Nothing, where no run was interrupted.
Result<std::optional<CalibrationData>> StartFrom(const PartialCalibration& partial, const PreparedModel& prepared,
                                                 const Job& job) {
  if (!job.options.calibration.checkpoint.resume) {
    if (!job.options.calibration.workers.task) partial.StartAnew(job.context);
    return std::optional<CalibrationData>();
  }
  PREON_ASSIGN_OR_RETURN(std::optional<CalibrationData> known, partial.Load(prepared.model.fingerprint));
  for (const std::string& tensor : ToObserve(prepared, job)) {
    if (known && !known->tensors.contains(tensor))
      return Error(ErrorId::kCalibFileMismatch, partial.path(), ": --resume: has no tensor '", tensor,
                   "': made with other options; wanted the same, or the file removed");
  }
  return known;
}

// A run that nobody asked to keep anything goes on without.
Status SavePartial(const PartialCalibration& partial, const CalibrationData& so_far, const Job& job) {
  const Status saved = partial.Save(so_far);
  if (saved.ok() || job.options.calibration.checkpoint.resume || job.options.calibration.checkpoint.seconds)
    return saved;
  job.context.Log(LogLevel::kWarning, StrCat("nothing is kept for --resume: ", saved.message()));
  return Status::Ok();
}

Result<CalibrationData> CalibrateOnce(PreparedModel& prepared, Job& job, const Pass& pass) {
  job.clock.Begin("calibrate");
  CalibrateOptions options = StatisticsFor(prepared, job);
  const std::string setup = StrCat(PlacementSetup(prepared, job), ModeSetup(options));
  bool check_rewrites = pass.check_rewrites;
  if (pass.partial != nullptr) {
    PREON_RETURN_IF_ERROR(pass.partial->Describe(setup));
    PREON_ASSIGN_OR_RETURN(options.start, StartFrom(*pass.partial, prepared, job));
    options.checkpoint_seconds =
        static_cast<double>(job.options.calibration.checkpoint.seconds.value_or(kCheckpointSeconds));
    options.checkpoint = [&](const CalibrationData& so_far) { return SavePartial(*pass.partial, so_far, job); };
  }
  if (options.start && check_rewrites) {  // there may be nothing left to run
    PREON_RETURN_IF_ERROR(CheckRewrites(prepared, job));
    check_rewrites = false;
  }
  std::optional<RangeCollection> collection;
  if (pass.collect && job.choices.method->collects()) {
    PREON_ASSIGN_OR_RETURN(collection, MakeCollection(prepared, job));
    options.collection = &*collection;
  }
  options.may_be_empty = job.options.calibration.workers.task.has_value();
  PREON_ASSIGN_OR_RETURN(const SampleSelection selection, SelectSamples(job, options.start));
  PREON_ASSIGN_OR_RETURN(std::unique_ptr<DataSource> source, job.open_samples(prepared.inputs, selection));
  source = Prefetch(std::move(source), job.options.resources.memory == MemoryUse::kLow ? 1 : 2);
  // Some of the trial's samples may be among those that were seen before: they have a pass of their own below.
  TrialSamples* const trial = options.start ? nullptr : pass.trial;
  if (pass.trial != nullptr) pass.trial->Clear();
  if (pass.float_outputs != nullptr) pass.float_outputs->Clear();
  options.see_run = [&, first = true](const Batch& batch, const std::vector<NamedTensor>& outputs) mutable {
    if (trial != nullptr) trial->Keep(batch, outputs);
    if (pass.float_outputs != nullptr) pass.float_outputs->Keep(batch, outputs);
    if (!std::exchange(first, false)) return Status::Ok();
    if (check_rewrites) {
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
  PREON_ASSIGN_OR_RETURN(CalibrationData data,
                         Calibrate(prepared.model, ToObserve(prepared, job), *source, options, job.context));
  data.setup = setup;
  if (collection) {
    PREON_ASSIGN_OR_RETURN(job.collected, collection->Finish());
  }
  data.shared = SharedRanges(prepared.plan);
  if (options.start && pass.trial != nullptr) PREON_RETURN_IF_ERROR(RunTrialSamples(prepared, job, *pass.trial));
  return data;
}

// Statistics of all workers and of what was known before.
Result<CalibrationData> MergeWorkers(const PartialCalibration& partial, const WorkerPlan& plan,
                                     std::optional<CalibrationData> start, const std::string& fingerprint) {
  std::vector<CalibrationData> parts;
  if (start) parts.push_back(*std::move(start));
  for (int64_t worker = 0; worker < plan.workers; ++worker) {
    PREON_ASSIGN_OR_RETURN(parts.emplace_back(), partial.LoadFile(WorkerFile(plan.folder, worker), fingerprint));
  }
  return MergeCalibrations(std::move(parts));
}

Result<CalibrationData> CalibrateWithWorkers(PreparedModel& prepared, Job& job, const Pass& pass) {
  const Options& given = job.options;
  if (job.callers_samples) {
    return Error(ErrorId::kConflictingOptions,
                 "--workers: the samples come from a reader of this process, which others can't call; wanted data");
  }
  WorkerPlan plan{.model = prepared.model.source_path, .workers = given.calibration.workers.count};
  const Status same = prepared.first_run.outputs ? CheckRewrites(prepared, job) : Status::Ok();
  if (!same.ok()) {
    if (same.id() != ErrorId::kPassFailed) return same;
    PREON_ASSIGN_OR_RETURN(prepared, PrepareVerifyingEachPass(plan.model, job, same));
    plan.careful = true;
  }
  job.clock.Begin("calibrate");
  const std::string setup = StrCat(PlacementSetup(prepared, job), ModeSetup(StatisticsFor(prepared, job)));
  const std::string fingerprint = prepared.model.fingerprint;
  PartialCalibration& partial = *pass.partial;
  PREON_RETURN_IF_ERROR(partial.Describe(setup));
  PREON_ASSIGN_OR_RETURN(std::optional<CalibrationData> start, StartFrom(partial, prepared, job));
  plan.folder = partial.workers_folder();
  std::error_code error;
  std::filesystem::create_directory(plan.folder, error);
  if (error) return Error(ErrorId::kIoWrite, plan.folder, ": can't write: ", error.message());
  if (start) {
    plan.seen = partial.path();
    plan.seen_samples = start->sample_count();
  }
  PREON_ASSIGN_OR_RETURN(const SampleSelection selection, SelectSamples(job, start));
  {
    PREON_ASSIGN_OR_RETURN(const std::unique_ptr<DataSource> rest, job.open_samples(prepared.inputs, selection));
    plan.batch = rest->BatchSize();
    plan.samples = plan.seen_samples + rest->SampleCount().value_or(0);
  }
  if (!pass.keep_model) {
    prepared.model = Model();
    ReleaseFreeMemory();
  }
  PREON_RETURN_IF_ERROR(RunWorkers(plan, job));
  PREON_ASSIGN_OR_RETURN(CalibrationData data, MergeWorkers(partial, plan, std::move(start), fingerprint));
  if (data.sample_count() == 0) return Error(ErrorId::kDataEmpty, "calibrate: no samples");
  data.setup = setup;
  data.shared = SharedRanges(prepared.plan);
  if (pass.trial != nullptr) PREON_RETURN_IF_ERROR(RunTrialSamples(prepared, job, *pass.trial));
  return data;
}

Result<CalibrationData> CalibrateVerified(PreparedModel& prepared, Job& job, Pass pass) {
  if (job.options.calibration.workers.task) pass.check_rewrites = false;  // its parent has
  if (job.options.calibration.workers.count > 1 && !job.options.calibration.workers.task && !job.saved)
    return CalibrateWithWorkers(prepared, job, pass);
  Result<CalibrationData> data = CalibrateOnce(prepared, job, pass);
  if (data.ok() || data.status().id() != ErrorId::kPassFailed) return data;
  PREON_ASSIGN_OR_RETURN(prepared, PrepareVerifyingEachPass(prepared.model.source_path, job, data.status()));
  pass.check_rewrites = false;
  return CalibrateOnce(prepared, job, pass);
}

Result<CalibrationData> CalibrateChecked(PreparedModel& prepared, Job& job, const Pass& pass) {
  Result<CalibrationData> data = CalibrateVerified(prepared, job, pass);
  if (data.ok() || pass.partial == nullptr || job.options.calibration.workers.task) return data;
  const Status status = data.status();
  // Other data or options are needed, which nothing that was learned would go with.
  const bool useless = ExitStatus(status.id()) == 2;
  if (useless && !job.options.calibration.checkpoint.resume) pass.partial->Remove();
  if (useless || !pass.partial->Exists()) return status;
  return Status(status).WithHint(
      StrCat(pass.partial->path(), " has what was learned: the same command with --resume goes on from there"));
}

}  // namespace

Result<CalibrationData> CalibrateStage(PreparedModel& prepared, Job& job, TrialSamples* trial,
                                       FloatOutputs& float_outputs, PartialCalibration* partial) {
  // What a float16 model computes in float32 is not what it gives.
  const bool keeps = job.options.resources.memory != MemoryUse::kLow && !prepared.was_float16;
  FloatOutputs* kept = keeps ? &float_outputs : nullptr;
  return CalibrateChecked(prepared, job, {.trial = trial, .float_outputs = kept, .partial = partial});
}

Result<CalibrationData> CalibrateOnly(PreparedModel& prepared, Job& job, PartialCalibration& partial) {
  return CalibrateChecked(prepared, job, {.collect = false, .keep_model = false, .partial = &partial});
}

Instrumentation InstrumentationOf(const PreparedModel& prepared, const Job& job) {
  const CalibrateOptions options = StatisticsFor(prepared, job);
  const Graph& graph = prepared.model.graph;
  Instrumentation plan{.inputs = graph.inputs(),
                       .outputs = graph.outputs(),
                       .tensors = prepared.plan.ObservedTensors(),
                       .per_channel = {options.per_channel.begin(), options.per_channel.end()},
                       .channel_means = {options.channel_means.begin(), options.channel_means.end()},
                       .mode = options.mode,
                       .calib_out = job.options.instrument.calib_out,
                       .every = job.options.instrument.every,
                       .one_in = job.options.instrument.one_in};
  plan.header.model_fingerprint = prepared.model.fingerprint;
  plan.header.setup = StrCat(PlacementSetup(prepared, job), ModeSetup(options));
  plan.header.shared = SharedRanges(prepared.plan);
  plan.header.origins = OriginsOf(graph, plan.tensors);
  plan.header.derived = WhatToDerive(graph, plan.tensors, options);
  return plan;
}

Status CheckCalibrationFits(const CalibrationData& data, const PreparedModel& prepared, const Job& job) {
  const std::string& path = job.options.statistics.calib;
  PREON_RETURN_IF_ERROR(CheckSameModel(data.model_fingerprint, prepared.model.fingerprint).WithContext(path));
  const std::string wanted = PlacementSetup(prepared, job);
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

Status CheckObserves(const Job& job) {
  if (job.choices.target->NeedsStatistics(job.choices.plan)) return Status::Ok();
  return Error(ErrorId::kConflictingOptions, "--target ", job.choices.target->name(), " with activations in ",
               job.choices.plan.activation.name(), ": observes nothing, there is nothing to collect");
}

}  // namespace preon
