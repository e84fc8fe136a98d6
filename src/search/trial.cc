#include "search/trial.h"

#include <algorithm>
#include <cmath>

#include "data/run_plan.h"
#include "eval/compare_models.h"
#include "eval/state_loop.h"
#include "pipeline/select_ranges.h"
#include "quantize/plan/plan_statistics.h"
#include "quantize/write/apply_plan.h"
#include "runtime/session.h"

namespace preon {
namespace {

// Noise over signal, 10^(-SQNR / 10), averaged over the outputs. States do not count: in closed loop the others show
// what comes of their error.
double MeanSqnrDb(const Comparison& comparison, const std::vector<StateLink>& links) {
  double noise = 0, outputs = 0;
  for (const auto& [name, output] : comparison.outputs) {
    if (std::ranges::find(links, name, &StateLink::output) != links.end()) continue;
    noise += output.not_finite > 0 ? 1e20 : std::pow(10, -output.sqnr_db / 10);
    ++outputs;
  }
  return -10 * std::log10(noise / std::max(1.0, outputs));
}

}  // namespace

Status CloseLoop(const PreparedModel& prepared, const Job& job, TrialSamples& trial) {
  const std::vector<StateLink> links = FindStateLinks(prepared.model.graph);
  if (links.empty()) return Status::Ok();
  PREON_ASSIGN_OR_RETURN(Session session,
                         Session::OpenModel(prepared.model, {.threads = job.context.ThreadCount()}, job.context));
  const ModelOutputs float_outputs = InClosedLoop(links, OutputsOf(session, job.context));
  for (size_t run = 0; run < trial.runs().size(); ++run) {
    PREON_ASSIGN_OR_RETURN(std::vector<NamedTensor> outputs, float_outputs(trial.runs()[run].batch));
    trial.SetOutputs(run, std::move(outputs));
  }
  return Status::Ok();
}

Result<double> TrialSqnrDb(const PreparedModel& prepared, const CalibrationData& data, const TrialSamples& trial,
                           const RangeMethod& method, const Job& job) {
  PREON_ASSIGN_OR_RETURN(const PlanStatistics statistics, StatisticsOf(prepared, data, method, job));
  PREON_ASSIGN_OR_RETURN(const Model quantized, ApplyPlan(prepared.model, prepared.plan, statistics, nullptr));
  const std::unique_ptr<DataSource> source = trial.Open();
  const std::vector<StateLink> links = FindStateLinks(prepared.model.graph);
  const RunPlan runs = links.empty() ? PlanRuns(quantized, job.context.ThreadCount(), *source, job.options.memory)
                                     : RunPlan{.at_once = 1, .threads = job.context.ThreadCount()};
  PREON_ASSIGN_OR_RETURN(Session session, Session::OpenModel(quantized, {.threads = runs.threads}, job.context));
  RunContext quiet = job.context;
  quiet.progress = {};
  const auto float_outputs = [&](const Batch& batch) {
    return std::ranges::find(trial.runs(), batch.first_sample,
                             [](const TrialRun& run) { return run.batch.first_sample; })
        ->outputs;
  };
  ModelOutputs outputs = OutputsOf(session, quiet);
  if (!links.empty()) outputs = InClosedLoop(links, std::move(outputs));
  PREON_ASSIGN_OR_RETURN(const Comparison comparison,
                         Compare(float_outputs, outputs, *source, {.at_once = runs.at_once}, quiet));
  return MeanSqnrDb(comparison, links);
}

}  // namespace preon
