// Sessions of a quantized model before and after a rewrite, side by side.
#pragma once

#include "pipeline/run_inputs.h"
#include "report/results/results.h"
#include "runtime/session.h"

namespace preon {

/// Errors: kNotQuantized naming the file.
Status CheckQuantized(const Model& model);

/// Whether both models give the same outputs, bit for bit, on the first samples (random where there are none). The
/// runtime does not optimize them: its integer kernels round in other places than Q/DQ nodes do.
Result<bool> SameValues(const Model& before, const Model& after, const Samples& samples, const RunContext& context);

/// Runs both on the samples, or on random ones where there are none, and measures them in turns.
Result<RewriteFigures> CompareRewritten(Session& before, Session& after, RunInputs& run);

}  // namespace preon
