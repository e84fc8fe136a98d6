// Which samples the figures of a result come from (docs/design/figures.md).
#pragma once

#include <functional>

#include "base/status.h"
#include "data/sample_runs.h"
#include "pipeline/calibrate_stage.h"
#include "pipeline/quantize_stage.h"
#include "pipeline/samples.h"

namespace preon {

/// What has been done with samples before.
struct SampleUse {
  const SampleRuns& seen;   ///< these were calibrated with, or choices made by them, as far as is known
  bool from_file = false;   ///< statistics or ranges come from a file
  Samples eval;             ///< of --eval-data: the figures come from these, and nothing else depends on them
  bool eval_unseen = true;  ///< none of them calibrates
  /// Will an algorithm fit codes to samples (WillImproveCodes)? Asked only where no calibration has kept some apart.
  std::function<Result<bool>()> fits_codes;
};

/// @param calibration  of this run, and lives on; without statistics where none were needed
Result<ComparedSamples> ChooseComparedSamples(const Calibration& calibration, const SampleUse& use,
                                              const Samples& samples, const std::vector<TensorSpec>& inputs);

}  // namespace preon
