// Samples that judge: those of --eval-data, or a part of --data.
#pragma once

#include <vector>

#include "data/data_options.h"
#include "data/sample_runs.h"
#include "pipeline/samples.h"

namespace preon {

/// Samples of --eval-data and its like.
Samples EvalSamples(const DataOptions& options);

/// Places of the samples that are kept apart, and of the others.
struct SplitSamples {
  SampleRuns used, held_out;
};
/// Reads all samples.
Result<SplitSamples> SplitOf(const Samples& samples, const std::vector<TensorSpec>& inputs);

}  // namespace preon
