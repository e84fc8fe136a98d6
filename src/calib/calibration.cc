#include "calib/calibration.h"

#include "calib/sketch_observer.h"
#include "runtime/observed_session.h"

namespace preon {
namespace {

void WarnOfInfinities(const CalibrationData& data, const RunContext& context) {
  for (const auto& [tensor, sketch] : data.tensors) {
    if (sketch.inf_count() == 0) continue;
    context.Log(LogLevel::kWarning, StrCat(tensor, ": ", sketch.inf_count(), " of ", sketch.count(),
                                           " values are infinite; its range is that of the finite ones"));
  }
}

}  // namespace

Result<CalibrationData> Calibrate(const Model& model, const std::vector<std::string>& tensors, DataSource& source,
                                  const CalibrateOptions& options, const RunContext& context) {
  SketchObserver observer(tensors, options.mode, {options.per_channel.begin(), options.per_channel.end()},
                          {options.channel_means.begin(), options.channel_means.end()});
  ObservedSessionOptions session_options;
  session_options.session.threads = context.ThreadCount();
  session_options.optimize = options.optimize;
  PREON_ASSIGN_OR_RETURN(ObservedSession session,
                         ObservedSession::Open(model, tensors, &observer, session_options, context));

  CalibrationData data;
  Progress progress{"calibrate", 0, source.SampleCount().value_or(0)};
  context.Report(progress);
  while (true) {
    PREON_ASSIGN_OR_RETURN(const std::optional<Batch> batch, source.Next());
    if (!batch) break;
    Status status = context.CheckCancelled();
    if (status.ok()) {
      observer.BeginRun(*batch);
      const auto outputs = session.Run(batch->feeds, context);
      status = outputs.status();
      if (status.ok() && options.see_run) PREON_RETURN_IF_ERROR(options.see_run(*batch, *outputs));
    }
    if (!status.ok() && status.id() == ErrorId::kCancelled) {
      return Error(ErrorId::kCancelled, "calibrate: interrupted after ", progress.done, " of ",
                   progress.total > 0 ? StrCat(progress.total) : "?", " samples");
    }
    PREON_RETURN_IF_ERROR(std::move(status).WithContext("sample ", batch->names.front()));
    PREON_RETURN_IF_ERROR(observer.status());
    for (int64_t i = 0; i < batch->samples; ++i) {
      const int64_t sample = batch->first_sample + i * batch->sample_step;
      data.samples.emplace_back(sample, sample + 1);
    }
    progress.done += batch->samples;
    context.Report(progress);
  }
  if (progress.done == 0) return Error(ErrorId::kDataEmpty, "calibrate: no samples");

  PREON_ASSIGN_OR_RETURN(data.samples, Canonical(std::move(data.samples)));
  data.model_fingerprint = model.fingerprint;
  std::vector<TensorSketch> sketches = observer.TakeSketches();
  for (size_t index = 0; index < tensors.size(); ++index)
    data.tensors.emplace(tensors[index], std::move(sketches[index]));
  WarnOfInfinities(data, context);
  return data;
}

}  // namespace preon
