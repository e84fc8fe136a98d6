// Sessions of a quantized model before and after a rewrite, side by side.
#pragma once

#include "pipeline/run_inputs.h"
#include "report/results/results.h"
#include "runtime/session.h"

namespace preon {

/// Errors: kNotQuantized naming the file.
Status CheckQuantized(const Model& model);

/// The samples of a run, or a random one where there are none, and what they are opened for.
struct RewriteSamples {
  Samples samples;
  std::vector<TensorSpec> inputs;
  bool random = false;
};
/// `session` is that of `model`, which has inferred shapes.
Result<RewriteSamples> SamplesFor(Session& session, const Model& model, const RunInputs& run);

/// Whether both models give the same outputs, bit for bit, on the first samples. The runtime does not optimize them:
/// its integer kernels round in other places than Q/DQ nodes do.
Result<bool> SameValues(const Model& before, const Model& after, const RewriteSamples& samples,
                        const RunContext& context);

/// Runs both on the samples and measures them in turns.
Result<RewriteFigures> CompareRewritten(Session& before, Session& after, const RewriteSamples& samples,
                                        std::optional<double> latency_seconds, const RunContext& context);

}  // namespace preon
