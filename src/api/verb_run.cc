#include <chrono>
#include <filesystem>

#include "api/saved_outputs.h"
#include "api/verbs.h"
#include "eval/compare_runs.h"
#include "eval/input_check.h"
#include "eval/latency.h"
#include "eval/open_model.h"
#include "eval/runnable_inputs.h"
#include "ir/model_io.h"
#include "pipeline/output.h"
#include "report/html/stage_report.h"
#include "runtime/session.h"

namespace preon {
namespace {

constexpr double kDefaultLatencySeconds = 1;

Result<Session> OpenChecked(const std::string& path, const SessionOptions& options, const RunContext& context) {
  PREON_RETURN_IF_ERROR(CheckRunnable(path));
  return OpenSession(path, options, context);
}

// What samples are opened for. The model is only read where random samples need shapes.
Result<std::vector<TensorSpec>> InputsOf(Session& session, const std::string& path, const Samples& samples,
                                         const RunContext& context) {
  if (!samples.free_shapes || !HaveOpenSizes(session.inputs())) return session.inputs();
  Result<Model> model = LoadModel(path);
  if (!model.ok()) return session.inputs();  // the runtime has opened it
  InferShapes(*model);
  return RunnableInputs(session, model->graph, samples, context);
}

// One pass over the data; `outputs` may be null.
Status RunOnce(Session& session, const std::vector<TensorSpec>& inputs, RunInputs& run, SavedOutputs* outputs,
               LatencyRecorder& recorder, RunResult& result) {
  PREON_ASSIGN_OR_RETURN(std::unique_ptr<DataSource> source, run.samples.open(inputs, {}));
  const int64_t per_pass = source->SampleCount().value_or(0);
  source = Prefetch(std::move(source));
  while (true) {
    PREON_RETURN_IF_ERROR(run.context.CheckCancelled());
    PREON_ASSIGN_OR_RETURN(const std::optional<Batch> batch, source->Next());
    if (!batch) break;
    const auto start = std::chrono::steady_clock::now();
    PREON_ASSIGN_OR_RETURN(const auto values, OfSamples(session.Run(batch->feeds, run.context), *batch));
    recorder.Add(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count(),
                 batch->samples);
    if (outputs != nullptr) PREON_RETURN_IF_ERROR(outputs->Write(result.runs, values));
    result.samples += batch->samples;
    ++result.runs;
    run.context.Report({.stage = "run", .done = result.samples, .total = per_pass * run.options.run.repeat});
  }
  return result.samples > 0 ? Status::Ok() : Error(ErrorId::kDataEmpty, "--data: no samples");
}

// Only a file that is there already can be one of the model's.
Status CheckNotExternalData(const OutputOptions& outputs, const std::string& model) {
  std::error_code error;
  if (!std::filesystem::exists(outputs.report, error)) return Status::Ok();
  const Result<Model> loaded = LoadModel(model);
  return loaded.ok() ? CheckNotInputs(outputs, loaded->external_files) : Status::Ok();
}

}  // namespace

Result<RunResult> RunVerb(const std::string& model, RunInputs& run) {
  if (!run.samples.open) return MissingData("run", "--data SRC");
  run.context.BeginStage("load");
  PREON_ASSIGN_OR_RETURN(Session session,
                         OpenChecked(model, {.threads = run.context.ThreadCount()}, run.context.OnDevice()));
  std::optional<SavedOutputs> outputs;
  if (!run.options.run.save_folder.empty()) {
    std::vector<std::string> inputs = run.options.data.Paths();
    inputs.insert(inputs.end(), {model, run.options.given.config_file});
    PREON_ASSIGN_OR_RETURN(outputs,
                           SavedOutputs::Create(run.options.run.save_folder, session.outputs(), std::move(inputs)));
  }
  run.context.BeginStage("run");
  RunResult result{.model = model, .threads = run.context.ThreadCount(), .saved_to = run.options.run.save_folder};
  LatencyRecorder recorder;
  PREON_ASSIGN_OR_RETURN(const std::vector<TensorSpec> inputs, InputsOf(session, model, run.samples, run.context));
  for (int64_t pass = 0; pass < run.options.run.repeat; ++pass) {
    PREON_RETURN_IF_ERROR(RunOnce(session, inputs, run, pass == 0 && outputs ? &*outputs : nullptr, recorder, result));
  }
  result.latency = recorder.Summarize();
  WarnOfRandom(run.options.data.from, run.options.eval_data, "these outputs", result.warnings);
  result.facts = RunFactsOf(run.context, "run");
  return result;
}

Result<CompareResult> CompareVerb(const std::string& reference, const std::string& other, RunInputs& run) {
  if (!run.samples.open) return MissingData("compare", "--data SRC");
  const Options& options = run.options;
  PREON_RETURN_IF_ERROR(CheckOutputs(options, {reference, other}));
  for (const std::string& model : {reference, other})
    PREON_RETURN_IF_ERROR(CheckNotExternalData(options.outputs, model));
  run.context.BeginStage("load");
  CompareResult result{.reference = reference, .other = other};
  result.reference_size_bytes = ModelSizeBytes(reference);
  result.other_size_bytes = ModelSizeBytes(other);
  const SessionOptions timed = TimedSession(run.context);
  PREON_ASSIGN_OR_RETURN(Session first, OpenChecked(reference, timed, run.context.OnDevice()));
  PREON_ASSIGN_OR_RETURN(Session second, OpenChecked(other, timed, run.context.OnDevice()));
  run.context.BeginStage("compare");
  PREON_ASSIGN_OR_RETURN(const std::vector<TensorSpec> inputs, InputsOf(first, reference, run.samples, run.context));
  PREON_ASSIGN_OR_RETURN(std::unique_ptr<DataSource> source, run.samples.open(inputs, {}));
  source = Prefetch(std::move(source));
  PREON_ASSIGN_OR_RETURN(
      result.compare, Compare(OutputsOf(first, run.context), OutputsOf(second, run.context), *source, {}, run.context));
  result.warnings = WarningsOf(result.compare);
  WarnOfRandom(options.data.from, options.eval_data, "these figures", result.warnings);
  if (!options.data.from.has_random()) {
    PREON_ASSIGN_OR_RETURN(source, run.samples.open(inputs, {}));
    for (std::string& warning :
         CheckInputs(*source, inputs, options.data.shard.count, [&] { return LoadModel(reference); }, run.context))
      result.warnings.push_back(std::move(warning));
  }
  if (const double seconds = options.latency_seconds.value_or(kDefaultLatencySeconds); seconds > 0) {
    run.context.BeginStage("latency");
    PREON_ASSIGN_OR_RETURN(const Batch batch, FirstBatch(run.samples, inputs));
    PREON_ASSIGN_OR_RETURN(result.latency,
                           MeasureLatency(first, second, batch.feeds, batch.samples, seconds, run.context));
  }
  result.facts = RunFactsOf(run.context, "compare");
  PREON_RETURN_IF_ERROR(WriteReport(result, options.outputs.report, options.given.shown_as));
  return result;
}

}  // namespace preon
