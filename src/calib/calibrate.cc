#include "calib/calibration.h"

#include <set>

#include "calib/observation.h"
#include "data/batch_loop.h"
#include "data/run_plan.h"
#include "runtime/observed_session.h"

namespace preon {
namespace {

bool SawAllOf(const CalibrationData& data, const Batch& batch) {
  for (int64_t i = 0; i < batch.samples; ++i) {
    if (!HasSample(data.samples, batch.first_sample + i * batch.sample_step)) return false;
  }
  return true;
}

void WarnOfInfinities(const CalibrationData& data, const RunContext& context) {
  for (const auto& [tensor, sketch] : data.tensors) {
    if (sketch.inf_count() == 0) continue;
    context.Log(LogLevel::kWarning, StrCat(tensor, ": ", sketch.inf_count(), " of ", sketch.count(),
                                           " values are infinite; its range is that of the finite ones"));
  }
}

}  // namespace

std::vector<TensorOrigin> OriginsOf(const Graph& graph, const std::set<std::string>& wanted) {
  std::vector<TensorOrigin> origins;
  for (const std::string& input : graph.inputs()) {
    if (wanted.contains(input)) origins.push_back({input, "input"});
  }
  for (const auto& node : graph.nodes()) {
    for (const std::string& output : node->outputs()) {
      if (wanted.contains(output)) origins.push_back({output, node->op_type});
    }
  }
  return origins;
}

// Exact mode promises more than can be derived, rows per sample and collectors want every tensor's own values; with the
// optimizer off, the runtime's own values are wanted.
bool CalibrateOptions::derives() const {
  return mode == SketchMode::kSampled && optimize && !per_sample && collection == nullptr;
}

DerivedTensors WhatToDerive(const Graph& graph, const StatisticsRequest& request) {
  DerivedTensors derived = FindDerived(graph, {request.tensors.begin(), request.tensors.end()});
  for (const std::string& tensor : request.channel_extremes) derived.erase(tensor);
  for (const auto& [kind, tensors] : request.others) {
    for (const std::string& tensor : tensors) derived.erase(tensor);
  }
  return derived;
}

Result<CalibrationData> Calibrate(Model model, const StatisticsRequest& request, DataSource& source,
                                  const CalibrateOptions& options, const RunContext& context) {
  // With the optimizer off, convolutions sum in an order that depends on the number of threads: whoever wants the
  // values bit for bit wants them from as many threads as the runtime gets elsewhere.
  const bool serial = options.serial_threads > 0 || !options.optimize || options.collection != nullptr ||
                      !context.provider().is_cpu();  // one run at a time on another processor
  const int threads = options.serial_threads > 0 ? options.serial_threads : context.ThreadCount();
  const RunPlan runs =
      serial ? RunPlan{.at_once = 1, .threads = threads} : PlanRuns(model, threads, source, options.memory);
  CalibrationData header{.model_fingerprint = model.fingerprint,
                         .derived = options.derives() ? WhatToDerive(model.graph, request) : DerivedTensors(),
                         .origins = OriginsOf(model.graph, request.tensors)};
  if (options.per_sample) header.per_sample.emplace();
  PREON_CHECK(options.parts == 1 || (options.collection == nullptr && !options.start && !options.per_sample));
  Observation observer(request, options.mode, header, options.parts);
  std::optional<CollectingObserver> collecting;
  if (options.collection != nullptr) collecting.emplace(observer.observer(), *options.collection);
  TensorObserver* const shown = collecting ? static_cast<TensorObserver*>(&*collecting) : &observer;
  ObservedSessionOptions session_options;
  session_options.session.threads = runs.threads;
  session_options.optimize = options.optimize;
  session_options.beside = !context.provider().is_cpu();
  PREON_ASSIGN_OR_RETURN(ObservedSession session,
                         ObservedSession::Open(model, observer.observer().observed(), shown, session_options, context));

  if (options.start) PREON_RETURN_IF_ERROR(observer.Start(*options.start));
  model = Model();
  const std::optional<int64_t> to_come = source.SampleCount();
  const int64_t known = options.start ? options.start->sample_count() : 0;
  Progress progress{"calibrate", known, to_come ? known + *to_come : 0};
  context.Report(progress);
  // A run that ends in the middle leaves half its values in the sketches, which nobody could go on from.
  RunContext to_the_end = context;
  if (options.checkpoint) to_the_end.cancel = nullptr;
  const auto run = [&](const Batch& batch) -> Result<InTurn> {
    if (options.start && SawAllOf(*options.start, batch)) return InTurn([] { return Status::Ok(); });
    std::vector<SampleRow> rows;
    collecting ? collecting->BeginRun(batch) : observer.BeginRun(batch, options.per_sample ? &rows : nullptr);
    auto outputs = OfSamples(session.Run(batch.feeds, to_the_end), batch);
    const Status observed = collecting ? collecting->EndRun() : observer.EndRun();
    PREON_RETURN_IF_ERROR(outputs.status());
    PREON_RETURN_IF_ERROR(observed);
    return InTurn([&, batch, outputs = std::move(outputs).value(), rows = std::move(rows)] {
      if (options.see_run) PREON_RETURN_IF_ERROR(options.see_run(batch, outputs));
      observer.Saw(batch, rows);
      progress.done += batch.samples;
      context.Report(progress);
      return Status::Ok();
    });
  };
  BatchLoopOptions loop{.at_once = runs.at_once, .go_on = [&] { return context.CheckCancelled(); }};
  if (options.checkpoint) {
    loop.checkpoint = {options.checkpoint_seconds, [&]() -> Status {
                         PREON_ASSIGN_OR_RETURN(const CalibrationData so_far, observer.SoFar());
                         return options.checkpoint(so_far);
                       }};
  }
  const Status done = ForEachBatch(source, loop, run);
  if (!done.ok() && done.id() == ErrorId::kCancelled) {
    return Error(ErrorId::kCancelled, "calibrate: interrupted after ", progress.done, " of ",
                 progress.total > 0 ? StrCat(progress.total) : "?", " samples");
  }
  PREON_RETURN_IF_ERROR(done);
  if (progress.done == 0 && !options.may_be_empty) return Error(ErrorId::kDataEmpty, "calibrate: no samples");

  PREON_ASSIGN_OR_RETURN(CalibrationData data, observer.Take(options.of_parts));
  WarnOfInfinities(data, context);
  return data;
}

}  // namespace preon
