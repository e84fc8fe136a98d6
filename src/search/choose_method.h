// The method that `auto` selects: several candidates written as quantized models, the nearest to float kept.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "pipeline/plan_inputs.h"
#include "pipeline/prepare_model.h"
#include "report/results/results.h"
#include "search/trial.h"

namespace preon {

/// What candidates have chosen from the same data, for plans that differ in few tensors.
using RangesByMethod = std::map<std::string, ChosenRanges>;

struct ChosenMethod {
  std::unique_ptr<RangeMethod> method;      ///< null without samples or an output to compare
  ChosenRanges* ranges = nullptr;           ///< the method's, for PlanInputs::chosen
  std::vector<MethodCandidate> candidates;  ///< in the order in which they ran, one of them selected
};

/// Quantizes by each candidate, runs the result on the trials' samples, and selects the one with the least error. Each
/// candidate is what --method and --method-option of the same words give. One that fails is left out with a warning,
/// one without an output that can be compared (Trials::SqnrDb) without. Errors: kCancelled; that of the last candidate
/// if all fail.
/// @param known  where ranges come from and go to; outlives the result
Result<ChosenMethod> ChooseMethod(const PlannedModel& prepared, const PlanInputs& inputs, Trials& trials,
                                  const RangeMethodRegistry& methods, RangesByMethod& known);

}  // namespace preon
