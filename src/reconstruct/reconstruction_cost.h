// What better codes cost before they are looked for: estimates from the graph alone, so that the same input gives the
// same bytes on every machine. (docs/design/weight-algorithms.md)
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "quantize/plan/quant_plan.h"
#include "reconstruct/reconstruction_rule.h"

namespace preon {

/// Estimated, ns at one thread.
struct ReconstructionCost {
  double calibration = 0;
  // Of reconstruction:
  double layers = 0;      ///< what does not depend on the number of samples
  double per_sample = 0;  ///< and what does
  double judgement = 0, per_judged_sample = 0;
  size_t layer_count = 0;
  /// Behind the last layer with several places per sample, such as a classifier behind pooling: few samples are few
  /// rows for them. In the graph's order.
  std::vector<std::string> last_layers;
  size_t last_inputs = 0;  ///< the most that one of these has

  /// Of reconstruction: what no number of runs changes, and one run.
  double FixedNs() const;
  double RunNs(int64_t samples_per_run) const;
  /// Fewer runs tell too little of the last layers, or little more than those that all layers have been fitted to.
  int64_t LeastRunsOfLastLayers(int64_t samples_per_run, int64_t has) const;
};

/// @param plan  of the model that is written; @param op_types  of the layers; @param samples  of the calibration
ReconstructionCost CostsOf(const Graph& graph, const QuantPlan& plan, const std::set<std::string>& op_types,
                           const RowCount& rows, int64_t samples);

/// So many blocks of layers are judged, by one run of so many.
constexpr size_t kBlocks = 6, kJudgingShare = 3;
/// More runs gain little (docs/design/weight-algorithms.md).
constexpr int64_t kMostRuns = 64, kMostRunsOfCoarseWeights = 100;

struct CostLimit {
  double calibrations = 1;    ///< so many times what calibration takes …
  double free_ns = 0;         ///< … or this, for which nobody waits, if it is more
  int64_t share_of_runs = 1;  ///< at most one of so many
  int64_t runs = kMostRuns;   ///< and at most these
};

/// How many runs of so many samples each keep reconstruction within the limit. 0: none. @param available  runs that
/// there are
int64_t RunsWithin(const ReconstructionCost& costs, const CostLimit& most, int64_t samples_per_run, int64_t available);
/// How many runs the last layers are fitted to once more: as many as their rows are worth, within what the first
/// fit leaves of the limit. 0: none. @param has  runs that all layers have been fitted to
int64_t RunsOfLastLayers(const ReconstructionCost& costs, const CostLimit& most, int64_t samples_per_run,
                         int64_t available, int64_t has);

}  // namespace preon
