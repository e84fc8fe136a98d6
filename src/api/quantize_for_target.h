// One run of `quantize` with the target that the options chose; verb_quantize.cc.
#pragma once

#include <string>

#include "api/judge/judge_gain.h"
#include "pipeline/run_inputs.h"

namespace preon {

Result<QuantizeResult> QuantizeForTarget(const std::string& model, RunInputs& run, const Judgement& judgement);

}  // namespace preon
