#include "calib/calibration.h"

#include <set>

#include "calib/batch_loop.h"
#include "calib/run_plan.h"
#include "calib/sketch_observer.h"
#include "runtime/observed_session.h"

namespace preon {
namespace {

bool SawAllOf(const CalibrationData& data, const Batch& batch) {
  for (int64_t i = 0; i < batch.samples; ++i) {
    if (!Contains(data.samples, batch.first_sample + i * batch.sample_step)) return false;
  }
  return true;
}

/// One sketch per tensor, and the samples in canonical form.
Status Fill(CalibrationData& data, const std::vector<std::string>& tensors, std::vector<TensorSketch> sketches) {
  PREON_ASSIGN_OR_RETURN(data.samples, Canonical(std::move(data.samples)));
  for (size_t index = 0; index < tensors.size(); ++index)
    data.tensors.emplace(tensors[index], std::move(sketches[index]));
  return Status::Ok();
}

void WarnOfInfinities(const CalibrationData& data, const RunContext& context) {
  for (const auto& [tensor, sketch] : data.tensors) {
    if (sketch.inf_count() == 0) continue;
    context.Log(LogLevel::kWarning, StrCat(tensor, ": ", sketch.inf_count(), " of ", sketch.count(),
                                           " values are infinite; its range is that of the finite ones"));
  }
}

}  // namespace

std::vector<TensorOrigin> OriginsOf(const Graph& graph, const std::vector<std::string>& tensors) {
  const std::set<std::string> wanted(tensors.begin(), tensors.end());
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

Result<CalibrationData> Calibrate(Model model, const std::vector<std::string>& tensors, DataSource& source,
                                  const CalibrateOptions& options, const RunContext& context) {
  // With the optimizer off, convolutions sum in an order that depends on the number of threads: whoever wants the values
  // bit for bit wants them from as many threads as the runtime gets elsewhere.
  const RunPlan runs = options.optimize ? PlanRuns(model, context.ThreadCount(), source)
                                        : RunPlan{.at_once = 1, .threads = context.ThreadCount()};
  SketchObserver observer(tensors, options.mode, {options.per_channel.begin(), options.per_channel.end()},
                          {options.channel_means.begin(), options.channel_means.end()});
  ObservedSessionOptions session_options;
  session_options.session.threads = runs.threads;
  session_options.optimize = options.optimize;
  PREON_ASSIGN_OR_RETURN(ObservedSession session,
                         ObservedSession::Open(model, tensors, &observer, session_options, context));

  CalibrationData data{.model_fingerprint = model.fingerprint, .origins = OriginsOf(model.graph, tensors)};
  if (options.start) {
    PREON_RETURN_IF_ERROR(observer.Start(options.start->tensors));
    data.samples = options.start->samples;
  }
  model = Model();
  Progress progress{"calibrate", data.sample_count(), source.SampleCount().value_or(0)};
  context.Report(progress);
  const auto run = [&](const Batch& batch) -> Result<InTurn> {
    PREON_RETURN_IF_ERROR(context.CheckCancelled());
    if (options.start && SawAllOf(*options.start, batch)) return InTurn([] { return Status::Ok(); });
    observer.BeginRun(batch);
    auto outputs = session.Run(batch.feeds, context);
    const Status observed = observer.EndRun();
    PREON_RETURN_IF_ERROR(std::move(outputs).status().WithContext("sample ", batch.names.front()));
    PREON_RETURN_IF_ERROR(observed);
    return InTurn([&, batch, outputs = std::move(outputs).value()] {
      if (options.see_run) PREON_RETURN_IF_ERROR(options.see_run(batch, outputs));
      for (int64_t i = 0; i < batch.samples; ++i) {
        const int64_t sample = batch.first_sample + i * batch.sample_step;
        data.samples.emplace_back(sample, sample + 1);
      }
      progress.done += batch.samples;
      context.Report(progress);
      return Status::Ok();
    });
  };
  BatchLoopOptions loop{.at_once = runs.at_once};
  if (options.checkpoint) {
    loop.checkpoint = {options.checkpoint_seconds, [&]() -> Status {
                         CalibrationData so_far = data;
                         PREON_RETURN_IF_ERROR(Fill(so_far, tensors, observer.Sketches()));
                         return options.checkpoint(so_far);
                       }};
  }
  const Status done = ForEachBatch(source, loop, run);
  if (!done.ok() && done.id() == ErrorId::kCancelled) {
    return Error(ErrorId::kCancelled, "calibrate: interrupted after ", progress.done, " of ",
                 progress.total > 0 ? StrCat(progress.total) : "?", " samples");
  }
  PREON_RETURN_IF_ERROR(done);
  if (progress.done == 0) return Error(ErrorId::kDataEmpty, "calibrate: no samples");

  PREON_RETURN_IF_ERROR(Fill(data, tensors, observer.TakeSketches()));
  WarnOfInfinities(data, context);
  return data;
}

}  // namespace preon
