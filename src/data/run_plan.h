// RunPlan: how the threads are shared out over a stream of runs.
#pragma once

#include <cstdint>

#include "data/data_source.h"
#include "ir/graph.h"

namespace preon {

/// What runs may take for their speed (docs/resources.md). Results are the same.
enum class MemoryUse {
  kLow,       ///< one run at a time, no outputs kept for later
  kBalanced,  ///< runs side by side as long as their values are small beside the model's
  kFast,      ///< a run on every thread, whatever it takes
};

struct RunPlan {
  int at_once = 1;  ///< runs under way at the same time, each from a thread of its own
  int threads = 1;  ///< of the session: what is left for the inside of operators
};

/// Runs side by side share nothing but the weights, so that no thread ever waits for another at the end of an operator;
/// threads inside operators serve where there are fewer runs than threads, or where the values of more runs would
/// take too much memory. `memory` low: one run at a time; fast: one per thread in any case.
RunPlan PlanRuns(const Model& model, int threads, const DataSource& source, MemoryUse memory = MemoryUse::kBalanced);

/// Bytes of all tensors alive at once in a run, weights apart, operator by operator in the graph's order. An estimate:
/// for axes that are open (the first one counts `batch`, others 128), sub-graphs, and what the runtime fuses.
int64_t ActivationBytes(const Graph& graph, int64_t batch);

}  // namespace preon
