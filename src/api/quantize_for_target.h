// One run of `quantize` with the target that the options chose; verb_quantize.cc.
#pragma once

#include <string>

#include "api/judge/judge_gain.h"
#include "pipeline/run_inputs.h"

namespace preon {

Result<QuantizeResult> QuantizeForTarget(const std::string& model, RunInputs& run, const Judgement& judgement);

/// kMissingOption: `quantize` needs samples.
Status MissingSamples();

/// With the target that the options chose, or with another one where that gains nothing; best_target.cc.
Result<QuantizeResult> QuantizeForBestTarget(const std::string& model, RunInputs& run);

}  // namespace preon
