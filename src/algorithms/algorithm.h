// Algorithm: what changes weights and biases so that the quantized model comes nearer to float. One file each.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/registry.h"
#include "base/status.h"
#include "calib/collected_statistics.h"
#include "calib/statistics_request.h"
#include "ir/graph.h"
#include "quantize/plan/quant_plan.h"
#include "quantize/plan/target.h"
#include "quantize/write/write_hook.h"

namespace preon {

/// Pure: what it learns comes through the statistics that it asks for, what it does goes through the hook.
class Algorithm {
 public:
  virtual ~Algorithm() = default;
  virtual std::string_view name() const = 0;
  virtual std::vector<std::string_view> aliases() const { return {}; }
  virtual std::string_view summary() const = 0;
  /// Has it anything to do for this target and these options? With --compat none has: the other tool has no such thing.
  virtual bool AppliesTo(const Target& target, const PlanOptions& options) const {
    return options.compat == Compat::kOff && target.TakesImprovements(options);
  }
  /// Its own kind of statistic, where sketches do not hold what it needs; merging and resuming need it.
  virtual const StatisticKind* statistic() const { return nullptr; }
  /// What it wants to know to improve this plan; empty: there is nothing that it could improve.
  virtual StatisticsRequest Needs(const Graph& graph, const QuantPlan& plan) const = 0;
  /// Its part in writing the plan. `collected` may lack tensors: data did not reach them, or a saved file has not got
  /// them; what depends on them stays as it is. Null: nothing to do.
  virtual Result<std::unique_ptr<WriteHook>> Apply(const Graph& graph, const QuantPlan& plan,
                                                   const CollectedStatistics& collected) const = 0;
};

using AlgorithmRegistry = Registry<Algorithm>;

}  // namespace preon
