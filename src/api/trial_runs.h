// Samples for trials where statistics come from a file, so that no calibration has run the samples.
#pragma once

#include "base/tensor_spec.h"
#include "data/sample_runs.h"
#include "pipeline/samples.h"
#include "pipeline/trial_samples.h"

namespace preon {

/// Statistics from a file: the float model runs over the samples for the trials alone. Gives those that may be wanted,
/// all but what is held out.
Result<SampleRuns> CollectTrialSamples(const std::string& model, const std::vector<TensorSpec>& inputs,
                                       const Samples& samples, TrialSamples& trial, const RunContext& context);

}  // namespace preon
