// Algorithm: what changes weights and biases so that the quantized model comes nearer to float. One file each.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "algorithms/algorithm_options.h"
#include "base/registry.h"
#include "base/status.h"
#include "calib/collected_statistics.h"
#include "calib/statistics_request.h"
#include "ir/graph.h"
#include "quantize/plan/quant_plan.h"
#include "quantize/plan/target.h"
#include "quantize/settings/node_selection.h"
#include "quantize/write/write_hook.h"
#include "reconstruct/reconstruction_rule.h"

namespace preon {

/// When an algorithm acts.
enum class AlgorithmPhase {
  kFloatModel,  ///< it rewrites the float model before calibration, as Quark's pre-quantization algorithms do
  kWrite,       ///< it has a part in writing the plan
  kWritten,     ///< it changes codes and biases of the written model, which runs over the data for it
};

/// Does the target quantize the node's weight?
using NodeFilter = std::function<bool(const Node&)>;

/// What an algorithm's options name of the user's model.
struct OptionNames {
  std::vector<NamedNodes> nodes;
  std::vector<NamedTypes> op_types;
};

/// Pure: what it learns comes through the statistics that it asks for.
class Algorithm {
 public:
  virtual ~Algorithm() = default;
  virtual std::string_view name() const = 0;
  virtual std::vector<std::string_view> aliases() const { return {}; }
  virtual std::string_view summary() const = 0;
  virtual AlgorithmPhase phase() const { return AlgorithmPhase::kWrite; }
  /// False: it acts only where --algorithm NAME, a configuration or a preset asks for it.
  virtual bool on_by_default() const { return true; }
  /// Does --effort high ask for it, and --effort default with `cost` 1 (it takes no longer than calibration), where
  /// nothing else of its phase is asked for? Of phase kFloatModel `quantize` asks for it with any effort.
  virtual bool in_effort() const { return false; }
  /// Has it an option --no-NAME, the same as --disable-algorithm NAME?
  virtual bool has_switch() const { return false; }
  /// Does it improve weights beside float activations, too, on targets that quantize nothing else?
  virtual bool acts_on_weights_alone() const { return false; }
  /// Its name in QConfig.algo_config of Quark; empty: it has none there.
  virtual std::string_view quark_name() const { return {}; }
  /// What it can be told, in static storage.
  virtual std::span<const AlgorithmOption> options() const { return {}; }
  /// The same algorithm acting by these values. Null: it has no options. Errors: kConflictingOptions.
  virtual Result<std::unique_ptr<Algorithm>> Configured(const AlgorithmValues&) const {
    return std::unique_ptr<Algorithm>();
  }
  /// What its options name of the user's model.
  virtual OptionNames Names() const { return {}; }
  /// Has it anything to do for this target and these options? With --compat none that improves a plan has: the other
  /// tool has no such thing.
  bool AppliesTo(const Target& target, const PlanOptions& options) const {
    const bool takes = acts_on_weights_alone() ? !target.QuantizesActivations() : target.TakesImprovements(options);
    const bool improves = options.compat == Compat::kOff && takes;
    const bool suits = options.compat != Compat::kOff || SuitsWeights(options.weight);
    return (improves || phase() != AlgorithmPhase::kWrite) && suits && Suits(target);
  }
  /// Has it anything to gain for weights of this type?
  virtual bool SuitsWeights(const TensorType&) const { return true; }
  /// Its own kind of statistic, where sketches do not hold what it needs; merging and resuming need it.
  virtual const StatisticKind* statistic() const { return nullptr; }

  /// --- kFloatModel ---
  /// Passes of the source (PassPhase::kSource) that it cannot do without, though they may change what is computed.
  virtual std::vector<std::string_view> SourcePasses() const { return {}; }
  /// What it wants to know of the float model before it rewrites it; empty: no pass over the data is needed.
  virtual StatisticsRequest NeedsOfFloat(const Graph&, const NodeFilter&) const { return {}; }
  /// Rewrites the model into one that computes the same. @return has it changed anything?
  /// @param collected  as for Apply  @param plan  what the model becomes: types, and with `compat` exactly what that
  ///                   tool does
  virtual Result<bool> RewriteFloat(Model&, const NodeFilter&, const CollectedStatistics& /*collected*/,
                                    const PlanOptions& /*plan*/) const {
    return false;
  }

  /// --- kWrite ---
  /// What it wants to know to improve this plan, of a target that it applies to; empty: there is nothing that it could
  /// improve.
  virtual StatisticsRequest Needs(const Graph&, const QuantPlan&) const { return {}; }
  /// Its part in writing the plan. `collected` may lack tensors: data did not reach them, or a saved file has not got
  /// them; what depends on them stays as it is. Null: nothing to do.
  virtual Result<std::unique_ptr<WriteHook>> Apply(const Graph&, const QuantPlan&, const CollectedStatistics&) const {
    return std::unique_ptr<WriteHook>();
  }

  /// --- kWritten ---
  virtual ReconstructionRule Rule() const { return {}; }
  virtual ReconstructionScope Scope() const { return {}; }

 private:
  /// Is the target one for which it does any good?
  virtual bool Suits(const Target&) const { return true; }
};

using AlgorithmRegistry = Registry<Algorithm>;

}  // namespace preon
