// Which samples the figures of a result come from (docs/design/figures.md).
#pragma once

#include "base/status.h"
#include "data/sample_runs.h"
#include "pipeline/calibrate_stage.h"
#include "pipeline/quantize_stage.h"
#include "pipeline/samples.h"

namespace preon {

/// @param calibration  of this run, and lives on; without statistics where none were needed
/// @param tried        samples that choices were made by, where statistics come from a file; else empty
/// @param from_file    statistics come from a file
Result<ComparedSamples> ChooseComparedSamples(const Calibration& calibration, const SampleRuns& tried, bool from_file,
                                              const Samples& samples, const std::vector<TensorSpec>& inputs);

}  // namespace preon
