#include "api/rewritten_model.h"

#include "data/array_layout.h"
#include "eval/compare_runs.h"
#include "eval/feeds.h"
#include "eval/fusion_report.h"
#include "eval/latency.h"

namespace preon {
namespace {

constexpr double kLatencySeconds = 1;
constexpr int64_t kSamplesOfSameValues = 8;  // without optimizations a run is slow

}  // namespace

Status CheckQuantized(const Model& model) {
  for (const auto& node : model.graph.nodes()) {
    if (node->op_type == "QuantizeLinear" || node->op_type == "DequantizeLinear" || IsIntegerKernel(node->op_type))
      return Status::Ok();
  }
  return Error(ErrorId::kNotQuantized, model.source_path, ": no node is quantized; wanted a quantized model");
}

Result<RewriteSamples> SamplesFor(Session& session, const Model& model, const RunInputs& run) {
  RewriteSamples found{.samples = run.samples.open ? run.samples : MadeUpSamples()};
  found.random = found.samples.made_up() || run.options.data.from.has_random();
  PREON_ASSIGN_OR_RETURN(found.inputs, RunnableInputs(session, model.graph, found.samples, run.context));
  return found;
}

Result<bool> SameValues(const Model& before, const Model& after, const RewriteSamples& samples,
                        const RunContext& context) {
  const SessionOptions plain{.threads = context.ThreadCount(), .optimization = Optimization::kOff};
  PREON_ASSIGN_OR_RETURN(Session first, Session::OpenModel(before, plain, context));
  PREON_ASSIGN_OR_RETURN(Session second, Session::OpenModel(after, plain, context));
  const int64_t batch = FixedBatch(samples.inputs);
  const int64_t whole_batches = (kSamplesOfSameValues + batch - 1) / batch * batch;
  PREON_ASSIGN_OR_RETURN(std::unique_ptr<DataSource> source,
                         samples.samples.open(samples.inputs, {.limit = whole_batches}));
  PREON_ASSIGN_OR_RETURN(const Comparison compare,
                         Compare(OutputsOf(first, context), OutputsOf(second, context), *source, {}, context));
  return SameOutputs(compare);
}

Result<RewriteFigures> CompareRewritten(Session& before, Session& after, const RewriteSamples& samples,
                                        std::optional<double> latency_seconds, const RunContext& context) {
  RewriteFigures figures{.random_data = samples.random};
  context.BeginStage("compare");
  PREON_ASSIGN_OR_RETURN(std::unique_ptr<DataSource> source, samples.samples.open(samples.inputs, {}));
  PREON_ASSIGN_OR_RETURN(figures.compare,
                         Compare(OutputsOf(before, context), OutputsOf(after, context), *source, {}, context));
  if (const double seconds = latency_seconds.value_or(kLatencySeconds); seconds > 0) {
    context.BeginStage("latency");
    PREON_ASSIGN_OR_RETURN(const Batch batch, FirstBatch(samples.samples, samples.inputs));
    PREON_ASSIGN_OR_RETURN(figures.latency,
                           MeasureLatency(before, after, batch.feeds, batch.samples, seconds, context));
  }
  return figures;
}

}  // namespace preon
