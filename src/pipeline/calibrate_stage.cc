#include "pipeline/calibrate_stage.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/output/temp_dir.h"
#include "base/system.h"
#include "data/held_out.h"
#include "eval/feeds.h"
#include "pipeline/calibration_setup.h"
#include "pipeline/partial_calibration.h"
#include "pipeline/restore_stage.h"
#include "pipeline/select_ranges.h"
#include "pipeline/worker_arguments.h"
#include "pipeline/workers.h"
#include "pipeline/write_plan.h"

namespace preon {
namespace {

constexpr int64_t kCheckpointSeconds = 10;

void SetHeader(CalibrationData header, CalibrationData& data) {
  data.setup = std::move(header.setup);
  data.shared = std::move(header.shared);
  data.planned = std::move(header.planned);
  data.activation = std::move(header.activation);
}

void FreeModel(PreparedModel& prepared) {
  prepared.model = Model();
  ReleaseFreeMemory();
}

}  // namespace

CalibrateOptions CalibrationStage::HowToCalibrate() const {
  CalibrateOptions how{.mode = inputs_.mode,
                       .optimize = inputs_.options.observe.optimize,
                       .memory = inputs_.memory,
                       .per_sample = inputs_.options.observe.per_sample};
  if (inputs_.compat != Compat::kOff) {
    // The values of the graph as it is, which depend on the number of threads.
    how.optimize = false;
    how.serial_threads = 1;
  }
  how.may_be_empty = inputs_.options.workers.task.has_value();
  return how;
}

StatisticsRequest CalibrationStage::Request(const PlannedModel& prepared, const SavedRanges* saved) const {
  StatisticsRequest request = RequestFor(prepared.model.graph, prepared.plan, inputs_.algorithms);
  if (saved == nullptr) return request;
  request.RestrictTo(ObservedFor(prepared.model.graph, prepared.plan, MissingRanges(prepared.plan, saved)));
  return request;
}

CalibrationData CalibrationStage::HeaderOf(const PlannedModel& prepared, std::optional<Float16> float16) const {
  const CalibrateOptions how = HowToCalibrate();
  return {.model_fingerprint = prepared.model.fingerprint,
          .setup = CalibrationSetup(prepared, float16, how.mode, how.optimize),
          .shared = SharedRanges(prepared.plan),
          .planned = PlanRanges(prepared.model.graph, prepared.plan),
          .activation = inputs_.activation};
}

// One collector per tensor whose range the plan wants.
Result<RangeCollection> CalibrationStage::MakeCollection(const QuantPlan& plan) const {
  std::vector<std::string> tensors = plan.ObservedTensors();
  std::vector<std::unique_ptr<RangeCollector>> collectors(tensors.size());
  for (const std::string& tensor : plan.RangeTensors()) {
    const auto observed = std::ranges::lower_bound(tensors, plan.ObservedFor(tensor));
    std::unique_ptr<RangeCollector>& collector = collectors[static_cast<size_t>(observed - tensors.begin())];
    if (collector != nullptr) continue;
    const ActivationPlan& activation = plan.activations.at(tensor);
    PREON_ASSIGN_OR_RETURN(collector, inputs_.method.Collect({activation.format, activation.scale_type}));
  }
  return RangeCollection::Create(std::move(tensors), std::move(collectors), context_.TempDir());
}

// What --resume or the task of a worker leave to be done; `start` is known already.
Result<SampleSelection> CalibrationStage::SelectSamples(const std::optional<CalibrationData>& start) const {
  SampleSelection selection{.limit = inputs_.options.samples};
  if (start) selection.seen = start->samples;
  if (const std::optional<WorkerTask>& task = inputs_.options.workers.task) {
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
Status CalibrationStage::KeepTrialSamples(const PlannedModel& prepared, const std::vector<TensorSpec>& inputs,
                                          TrialSamples& trial) const {
  PREON_ASSIGN_OR_RETURN(std::unique_ptr<DataSource> source, samples_.open(inputs, {.limit = inputs_.options.samples}));
  CalibrateOptions how = HowToCalibrate();
  how.see_run = [&](const Batch& batch, const std::vector<NamedTensor>& outputs) {
    trial.Keep(batch, outputs);
    return Status::Ok();
  };
  how.memory = MemoryUse::kLow;  // one after the other: what was kept decides what is wanted next
  const std::unique_ptr<DataSource> wanted = OnlyWanted(MarkHeldOut(std::move(source)), trial);
  return Calibrate(prepared.model, Request(prepared, nullptr), *wanted, how, context_.Quiet().OnDevice()).status();
}

// Nothing, where no run was interrupted.
Result<std::optional<CalibrationData>> CalibrationStage::StartFrom(const PartialCalibration& partial,
                                                                   const PlannedModel& prepared,
                                                                   const StatisticsRequest& request) const {
  if (!inputs_.options.checkpoint.resume) {
    if (!inputs_.options.workers.task) partial.StartAnew(context_);
    return std::optional<CalibrationData>();
  }
  PREON_ASSIGN_OR_RETURN(std::optional<CalibrationData> known,
                         partial.Load(prepared.model.fingerprint, request.Kinds()));
  if (!known || LackedBy(*known, request).empty()) return known;
  return Error(ErrorId::kCalibFileMismatch, partial.path(),
               ": --resume: it lacks tensors or statistics: it was made "
               "with other options; wanted the same options, or the file removed");
}

// A run that was not asked to keep statistics goes on without.
Status CalibrationStage::SavePartial(const PartialCalibration& partial, const CalibrationData& so_far) const {
  const Status saved = partial.Save(so_far);
  if (saved.ok() || inputs_.options.checkpoint.resume || inputs_.options.checkpoint.seconds) return saved;
  context_.Log(LogLevel::kWarning, StrCat("could not save statistics for --resume: ", saved.message()));
  return Status::Ok();
}

Result<Calibration> CalibrationStage::RunOnce(PreparedModel& prepared, const PassFiles& files,
                                              bool check_rewrites) const {
  context_.BeginStage("calibrate");
  CalibrateOptions how = HowToCalibrate();
  const StatisticsRequest request = Request(prepared, files.saved);
  CalibrationData header = HeaderOf(prepared, prepared.float16);
  if (files.partial != nullptr) {
    PREON_RETURN_IF_ERROR(files.partial->Describe(header.setup));
    PREON_ASSIGN_OR_RETURN(how.start, StartFrom(*files.partial, prepared, request));
    how.checkpoint_seconds = static_cast<double>(inputs_.options.checkpoint.seconds.value_or(kCheckpointSeconds));
    how.checkpoint = [&](const CalibrationData& so_far) { return SavePartial(*files.partial, so_far); };
  }
  if (how.start && check_rewrites) {  // there may be nothing left to run
    PREON_RETURN_IF_ERROR(CheckRewrites(prepared.model, prepared.first_run, context_));
    check_rewrites = false;
  }
  // A pass that keeps the model is for a model to be written, which wants the method's ranges.
  std::optional<RangeCollection> collection;
  if (files.keep_model && inputs_.method.collects()) {
    PREON_ASSIGN_OR_RETURN(collection, MakeCollection(prepared.plan));
    how.collection = &*collection;
  }
  PREON_ASSIGN_OR_RETURN(const SampleSelection selection, SelectSamples(how.start));
  PREON_ASSIGN_OR_RETURN(std::unique_ptr<DataSource> source, samples_.open(prepared.inputs, selection));
  source = Prefetch(std::move(source), inputs_.memory == MemoryUse::kLow ? 1 : 2);
  const bool compares_all = !files.holds_out || source->SampleCount().value_or(kFewestToHoldOut) < kFewestToHoldOut;
  Calibration calibration{.in_pieces = how.start.has_value()};
  // Ranges from a file may be those of any samples.
  if (files.holds_out && files.saved == nullptr && !how.start && how.collection == nullptr) {
    how.parts = PartsOf(*source);
    how.of_parts = &calibration.stand_ins.parts;
  }
  if (files.holds_out) source = MarkHeldOut(std::move(source));
  // Some of the trial's samples may be among those that were seen before: they have a pass of their own below.
  TrialSamples* const trial = how.start ? nullptr : files.trial;
  if (files.trial != nullptr) files.trial->Clear();
  if (files.float_outputs != nullptr) files.float_outputs->Clear();
  how.see_run = [&, first = true](const Batch& batch, const std::vector<NamedTensor>& outputs) mutable {
    if (trial != nullptr && !batch.held_out) trial->Keep(batch, outputs);
    if (files.float_outputs != nullptr) {
      const bool compared = compares_all || batch.held_out;
      files.float_outputs->Keep(batch, outputs, compared ? FloatOutputs::Use::kFigures : FloatOutputs::Use::kSpread);
    }
    if (!std::exchange(first, false)) return Status::Ok();
    if (check_rewrites) {
      // A caller's own stream may give other samples every time it is opened.
      PREON_RETURN_IF_ERROR(SameFeeds(batch.feeds, prepared.first_run.batch.feeds)
                                ? CheckRewrites(prepared.first_run, outputs)
                                : CheckRewrites(prepared.model, prepared.first_run, context_));
    }
    if (!files.keep_model) FreeModel(prepared);
    return Status::Ok();
  };
  PREON_ASSIGN_OR_RETURN(calibration.data, Calibrate(prepared.model, request, *source, how, context_.OnDevice()));
  StandIns& stand_ins = calibration.stand_ins;
  if (stand_ins.parts.size() < how.parts) stand_ins.parts.clear();         // some part had no samples
  if (stand_ins.count() == 1) stand_ins.parts.back() = CalibrationData();  // needed in calibration.data alone
  stand_ins.kinds = request.Kinds();
  for (CalibrationData& part : stand_ins.parts) SetHeader(header, part);
  SetHeader(std::move(header), calibration.data);
  if (collection) {
    PREON_ASSIGN_OR_RETURN(calibration.collected_ranges, collection->Finish());
  }
  if (how.start && files.trial != nullptr)
    PREON_RETURN_IF_ERROR(KeepTrialSamples(prepared, prepared.inputs, *files.trial));
  return calibration;
}

Result<Calibration> CalibrationStage::RunWithWorkers(PreparedModel& prepared, const PassFiles& files) const {
  WorkerPlan plan{.model = prepared.model.source_path, .workers = inputs_.options.workers.count};
  const Status same =
      prepared.first_run.outputs ? CheckRewrites(prepared.model, prepared.first_run, context_) : Status::Ok();
  if (!same.ok()) {
    if (same.id() != ErrorId::kPassFailed) return same;
    PREON_ASSIGN_OR_RETURN(prepared, preparation_.PrepareVerifyingEachPass(plan.model, same));
    plan.verify_each_pass = true;
  }
  context_.BeginStage("calibrate");
  CalibrationData header = HeaderOf(prepared, prepared.float16);
  const StatisticsRequest request = Request(prepared, nullptr);
  PartialCalibration& partial = *files.partial;
  PREON_RETURN_IF_ERROR(partial.Describe(header.setup));
  PREON_ASSIGN_OR_RETURN(std::optional<CalibrationData> start, StartFrom(partial, prepared, request));
  plan.folder = partial.workers_folder();
  std::error_code error;
  std::filesystem::create_directory(plan.folder, error);
  if (error) return Error(ErrorId::kIoWrite, plan.folder, ": can't write: ", error.message());
  if (start) {
    plan.seen = partial.path();
    plan.seen_samples = start->sample_count();
  }
  PREON_ASSIGN_OR_RETURN(const SampleSelection selection, SelectSamples(start));
  {
    PREON_ASSIGN_OR_RETURN(const std::unique_ptr<DataSource> rest, samples_.open(prepared.inputs, selection));
    plan.batch = rest->BatchSize();
    plan.samples = plan.seen_samples + rest->SampleCount().value_or(0);
  }
  if (!files.keep_model) FreeModel(prepared);
  Calibration calibration{.in_pieces = true};
  std::vector<std::string> words = CalibrationArguments(inputs_.given.config_file, inputs_.given.settings);
  if (inputs_.mode != inputs_.options.observe.mode) words.emplace_back("--exact");
  for (const Algorithm* algorithm : inputs_.offered) words.push_back(StrCat("--algorithm=", algorithm->name()));
  PREON_ASSIGN_OR_RETURN(calibration.workers_peak_rss_bytes,
                         RunWorkers(plan, inputs_.options.workers.program, words, context_));
  std::vector<CalibrationData> parts;
  if (start) parts.push_back(*std::move(start));
  for (int64_t worker = 0; worker < plan.workers; ++worker) {
    PREON_ASSIGN_OR_RETURN(parts.emplace_back(),
                           partial.LoadFile(WorkerFile(plan.folder, worker), header.model_fingerprint));
  }
  PREON_ASSIGN_OR_RETURN(calibration.data, MergeCalibrations(std::move(parts), request.Kinds()));
  if (calibration.data.sample_count() == 0) return Error(ErrorId::kDataEmpty, "calibrate: no samples");
  SetHeader(std::move(header), calibration.data);
  if (files.trial != nullptr) PREON_RETURN_IF_ERROR(KeepTrialSamples(prepared, prepared.inputs, *files.trial));
  return calibration;
}

Result<Calibration> CalibrationStage::RunVerified(PreparedModel& prepared, const PassFiles& files) const {
  const bool is_worker = inputs_.options.workers.task.has_value();  // its parent has checked the rewrites
  if (inputs_.options.workers.count > 1 && !is_worker && files.saved == nullptr) return RunWithWorkers(prepared, files);
  Result<Calibration> calibration = RunOnce(prepared, files, !is_worker);
  if (calibration.ok() || calibration.status().id() != ErrorId::kPassFailed) return calibration;
  PREON_ASSIGN_OR_RETURN(prepared,
                         preparation_.PrepareVerifyingEachPass(prepared.model.source_path, calibration.status()));
  return RunOnce(prepared, files, false);
}

Result<Calibration> CalibrationStage::Run(PreparedModel& prepared, const PassFiles& files) const {
  Result<Calibration> calibration = RunVerified(prepared, files);
  if (calibration.ok() || files.partial == nullptr || inputs_.options.workers.task) return calibration;
  const Status status = calibration.status();
  // Other data or options are needed, which nothing that was learned would go with.
  const bool useless = GetErrorInfo(status.id()).exit_status == 2;
  if ((useless && !inputs_.options.checkpoint.resume) || !files.partial->Exists()) files.partial->Remove();
  if (useless || !files.partial->Exists()) return status;
  return Status(status).WithHint(
      StrCat(files.partial->path(), " has the statistics so far: the same command with --resume continues from there"));
}

Instrumentation CalibrationStage::InstrumentationOf(const PlannedModel& prepared, std::optional<Float16> float16,
                                                    const InstrumentOptions& how_often) const {
  const CalibrateOptions how = HowToCalibrate();
  const Graph& graph = prepared.model.graph;
  Instrumentation plan{.inputs = graph.inputs(),
                       .outputs = graph.outputs(),
                       .request = Request(prepared, nullptr),
                       .mode = how.mode,
                       .every = how_often.every,
                       .one_in = how_often.one_in};
  plan.request.others.clear();  // the observer library has no algorithms
  plan.header = HeaderOf(prepared, float16);
  plan.header.origins = OriginsOf(graph, plan.request.tensors);
  plan.header.derived = how.derives() ? WhatToDerive(graph, plan.request) : DerivedTensors();
  return plan;
}

}  // namespace preon
