#include "api/trial.h"

#include <algorithm>
#include <cmath>

#include "api/plan_statistics.h"
#include "calib/run_plan.h"
#include "eval/compare.h"
#include "runtime/session.h"

namespace preon {
namespace {

// Noise over signal, of all outputs alike: 10^(-SQNR / 10), averaged.
double MeanSqnrDb(const Comparison& comparison) {
  double noise = 0;
  for (const auto& [name, output] : comparison.outputs)
    noise += output.not_finite > 0 ? 1e20 : std::pow(10, -output.sqnr_db / 10);
  return -10 * std::log10(noise / static_cast<double>(std::max<size_t>(1, comparison.outputs.size())));
}

}  // namespace

Result<double> TrialSqnrDb(const PreparedModel& prepared, const CalibrationData& data, const TrialSamples& trial,
                   const RangeMethod& method, const Job& job) {
  PREON_ASSIGN_OR_RETURN(const PlanStatistics statistics, StatisticsOf(prepared, data, method, job));
  PREON_ASSIGN_OR_RETURN(const Model quantized, ApplyPlan(prepared.model, prepared.plan, statistics, nullptr));
  const std::unique_ptr<DataSource> source = trial.Open();
  const RunPlan runs = PlanRuns(quantized, job.context.ThreadCount(), *source, job.options.memory);
  PREON_ASSIGN_OR_RETURN(Session session, Session::OpenModel(quantized, {.threads = runs.threads}, job.context));
  RunContext quiet = job.context;
  quiet.progress = {};
  const auto float_outputs = [&](const Batch& batch) {
    return std::ranges::find(trial.runs(), batch.first_sample, [](const TrialRun& run) { return run.batch.first_sample; })
        ->outputs;
  };
  PREON_ASSIGN_OR_RETURN(const Comparison comparison, Compare(float_outputs, OutputsOf(session, quiet), *source,
                                                              {.at_once = runs.at_once}, quiet));
  return MeanSqnrDb(comparison);
}

}  // namespace preon
