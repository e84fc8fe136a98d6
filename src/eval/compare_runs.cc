#include "eval/compare_runs.h"

#include <algorithm>
#include <utility>

#include "eval/feeds.h"

namespace preon {

ModelOutputs OutputsOf(Session& session, const RunContext& context) {
  return [&](const Batch& batch) -> Result<std::vector<NamedTensor>> {
    PREON_ASSIGN_OR_RETURN(const std::vector<NamedTensor> feeds, FeedsFor(session, batch.feeds));
    return OfSamples(session.Run(feeds, context), batch);
  };
}

Status CompareInto(const ModelOutputs& reference, const ModelOutputs& other, DataSource& source,
                   const BatchLoopOptions& options, const RunContext& context, Comparer& comparer) {
  Progress progress{"compare", 0, std::min(source.SampleCount().value_or(0), options.max_samples)};
  const auto run = [&](const Batch& batch) -> Result<InTurn> {
    PREON_RETURN_IF_ERROR(context.CheckCancelled());
    PREON_ASSIGN_OR_RETURN(auto a, reference(batch));
    PREON_ASSIGN_OR_RETURN(auto b, other(batch));
    return InTurn([&, a = std::move(a), b = std::move(b), samples = batch.samples, labels = batch.labels,
                   feeds = batch.feeds, names = batch.names] {
      PREON_RETURN_IF_ERROR(comparer.Add(a, b, samples, labels, feeds, names));
      progress.done += samples;
      context.Report(progress);
      return Status::Ok();
    });
  };
  PREON_RETURN_IF_ERROR(ForEachBatch(source, options, run));
  return progress.done == 0 ? Error(ErrorId::kDataEmpty, "compare: no samples") : Status::Ok();
}

Result<Comparison> Compare(const ModelOutputs& reference, const ModelOutputs& other, DataSource& source,
                           const BatchLoopOptions& options, const RunContext& context) {
  Comparer comparer;
  PREON_RETURN_IF_ERROR(CompareInto(reference, other, source, options, context, comparer));
  return comparer.Finish();
}

}  // namespace preon
