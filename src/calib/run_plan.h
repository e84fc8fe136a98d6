// RunPlan: how the threads are shared out over a stream of runs.
#pragma once

#include <cstdint>

#include "calib/data_source.h"
#include "ir/graph.h"

namespace preon {

struct RunPlan {
  int at_once = 1;  ///< runs under way at the same time, each from a thread of its own
  int threads = 1;  ///< of the session: what is left for the inside of operators
};

/// Runs side by side share nothing but the weights, so that no thread ever waits for another at the end of an operator;
/// threads inside operators serve where there are fewer runs than threads, or where the values of more runs would
/// take too much memory.
RunPlan PlanRuns(const Model& model, int threads, const DataSource& source);

/// Bytes of all tensors alive at once in a run, weights apart, operator by operator in the graph's order. An estimate:
/// for axes that are open (the first one counts `batch`, others 128), sub-graphs, and what the runtime fuses.
int64_t ActivationBytes(const Graph& graph, int64_t batch);

}  // namespace preon
