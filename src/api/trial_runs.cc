#include "api/trial_runs.h"

#include "data/held_out.h"
#include "eval/compare_runs.h"
#include "eval/feeds.h"
#include "eval/open_model.h"
#include "runtime/session.h"

namespace preon {

Result<SampleRuns> CollectTrialSamples(const std::string& model, const std::vector<TensorSpec>& inputs,
                                       const Samples& samples, TrialSamples& trial, const RunContext& context) {
  PREON_ASSIGN_OR_RETURN(std::unique_ptr<DataSource> source, samples.open(inputs, {}));
  PREON_ASSIGN_OR_RETURN(Session session, OpenSession(model, {.threads = context.ThreadCount()}, context));
  source = MarkHeldOut(Prefetch(std::move(source)));
  SampleRuns tried;
  while (true) {
    PREON_ASSIGN_OR_RETURN(const std::optional<Batch> batch, source->Next());
    if (!batch) return Canonical(std::move(tried));
    if (batch->held_out) continue;
    AddSamplesOf(*batch, tried);
    if (!trial.Wants()) continue;
    PREON_ASSIGN_OR_RETURN(const auto outputs, OutputsOf(session, context)(*batch));
    trial.Keep(*batch, outputs);
  }
}

}  // namespace preon
