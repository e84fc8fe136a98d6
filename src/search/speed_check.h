// Speed check: models run side by side, because an estimate of their time may be wrong.
#pragma once

#include <span>
#include <vector>

#include "base/context.h"
#include "base/tensor.h"
#include "ir/graph.h"

namespace preon {

/// Processor time in milliseconds of the fastest of several runs of each model at one thread, all in turns: other
/// programs make runs slower, never faster. 100 rounds, fewer if they take more than 0.2 s, at least two. Errors: the
/// runtime's, kCancelled.
Result<std::vector<double>> FastestRunsMs(std::span<const Model* const> models, const std::vector<NamedTensor>& feeds,
                                          const RunContext& context);

/// Fastest runs of three forms of a model.
struct FormTimes {
  double in_float = 0;
  double before = 0, after = 0;  ///< quantized, before and after nodes were left in float
};

/// Whether the nodes in float cost about what was estimated, and nothing that was faster than float has become slower.
/// 0.02 ms more are nothing.
/// @param cost  estimated share of the time before
bool IsAsFastAsEstimated(const FormTimes& ms, double cost);

}  // namespace preon
