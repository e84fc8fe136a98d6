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
#include "report/results/size_fit.h"

namespace preon {

struct TrialResults {
  std::vector<MethodCandidate> candidates;
  AccuracyFallback fallback;
  std::optional<PrecisionResult> precision;
  std::optional<SizeFit> size_fit;
};

struct TrialTask {
  TrialSamples& samples;
  int64_t float_bytes;  ///< of the model's file
  bool chooses_method;  ///< for --method auto, and layers left in float where no method is good enough
};

/// Plans `prepared` again where layers get other types or stay in float, and puts into the run's choices what later
/// plans need for it. Errors: those of MethodRace, FallBackForAccuracy, FitSize, MixPrecision.
Result<TrialResults> ChooseByTrials(PlannedModel& prepared, RunInputs& run, const PlanInputs& inputs,
                                    const FallbackPlanner& fallback, const TrialTask& task);

}  // namespace preon
