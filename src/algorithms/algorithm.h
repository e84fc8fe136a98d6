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
  /// Has it an option --no-NAME, the same as --disable-algorithm NAME?
  virtual bool has_switch() const { return false; }
  /// Its name in QConfig.algo_config of Quark; empty: it has none there.
  virtual std::string_view quark_name() const { return {}; }
  /// Has it anything to do for this target and these options? With --compat none has: the other tool has no such thing.
  bool AppliesTo(const Target& target, const PlanOptions& options) const {
    return options.compat == Compat::kOff && target.TakesImprovements(options) && Suits(target);
  }
  /// Its own kind of statistic, where sketches do not hold what it needs; merging and resuming need it.
  virtual const StatisticKind* statistic() const { return nullptr; }
  /// What it wants to know to improve this plan, of a target that it applies to; empty: there is nothing that it could
  /// improve.
  virtual StatisticsRequest Needs(const Graph& graph, const QuantPlan& plan) const = 0;
  /// Its part in writing the plan. `collected` may lack tensors: data did not reach them, or a saved file has not got
  /// them; what depends on them stays as it is. Null: nothing to do.
  virtual Result<std::unique_ptr<WriteHook>> Apply(const Graph& graph, const QuantPlan& plan,
                                                   const CollectedStatistics& collected) const = 0;

 private:
  /// Is the target one for which it does any good?
  virtual bool Suits(const Target&) const { return true; }
};

using AlgorithmRegistry = Registry<Algorithm>;

}  // namespace preon
