// What quantize chooses by running candidates on samples: the range method, layers in float, types of layers.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/fallback_planner.h"
#include "pipeline/plan_inputs.h"
#include "pipeline/run_inputs.h"
#include "pipeline/trial_samples.h"
#include "report/results/precision_result.h"
#include "report/results/results.h"

namespace preon {

struct TrialResults {
  std::vector<MethodCandidate> candidates;
  AccuracyFallback fallback;
  std::optional<PrecisionResult> precision;
};

struct TrialTask {
  TrialSamples& samples;
  bool chooses_method;  ///< for --method auto, and layers left in float where no method is good enough
};

/// Statistics from a file: the float model runs over the samples for the trials alone. Gives those that may be wanted,
/// all but what is held out.
Result<SampleRuns> CollectTrialSamples(const std::string& model, std::unique_ptr<DataSource> source,
                                       TrialSamples& trial, const RunContext& context);

/// Plans `prepared` again where layers get other types or stay in float, and puts into the run's choices what later
/// plans need for it. Errors: those of MethodRace, FallBackForAccuracy, MixPrecision.
Result<TrialResults> ChooseByTrials(PlannedModel& prepared, RunInputs& run, const PlanInputs& inputs,
                                    const FallbackPlanner& fallback, const TrialTask& task);

}  // namespace preon
