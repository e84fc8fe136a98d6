// Target: placement rules of one deployment target.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/registry.h"
#include "base/status.h"
#include "ir/graph.h"
#include "quantize/plan/plan_options.h"
#include "quantize/plan/quant_plan.h"

namespace preon {

/// A setting that changes nothing, by Quark's name for it.
struct IgnoredKey {
  std::string_view key;
  std::string reason;      ///< one clause
  bool so_anyway = false;  ///< what it asks for happens without it, too
};

/// Of what a target may have a default of its own for: what the user has set.
struct GivenScales {
  bool activation = false;  ///< type of activations
  bool scale_type = false;
  bool channels = false;  ///< one scale per channel
};

/// A target to try where another one gains nothing.
struct OtherTarget {
  std::string name;
  std::optional<TensorType> weight = {};  ///< where the target's own default loses accuracy
};

/// Placement rules of one deployment target. Pure.
class Target {
 public:
  virtual ~Target() = default;
  virtual std::string_view name() const = 0;
  virtual std::vector<std::string_view> aliases() const { return {}; }
  virtual std::string_view summary() const = 0;
  /// Smallest ai.onnx opset that the plan's Q/DQ nodes need: a model that can't be raised to it is an error.
  virtual int64_t RequiredOpset(const PlanOptions& options) const = 0;
  /// Opset at which the target's fused operators exist; the model is raised to it where that is possible.
  virtual int64_t PreferredOpset(const PlanOptions& options) const { return RequiredOpset(options); }
  /// Names in the options are the user's, checked by CheckNames (node_selection.h); what rewrites left nothing of is a
  /// warning. Errors: kNothingToQuantize, kNotYetSupported.
  virtual Result<QuantPlan> Plan(const Model& model, const PlanOptions& options) const = 0;
  /// True when the Q/DQ nodes are only there for the integer kernels of the runtime at hand: a node that does not
  /// become such a kernel is better left in float.
  virtual bool FollowsRuntime() const { return false; }
  /// Targets to try where this one, chosen without --target, gains nothing over float: those likely to be faster first.
  virtual std::vector<OtherTarget> InsteadOfIt() const { return {}; }
  /// Can weights have another form than codes behind a DequantizeLinear (PlanOptions::weight_form)?
  virtual bool HasWeightForms() const { return true; }
  /// Does the target read PlanOptions::op_list?
  virtual bool HasOpList() const { return false; }
  /// Can it write OpListOptions::format kExtended?
  virtual bool HasExtendedFormat() const { return false; }
  /// Which fields of PlanOptions::op_list are set, but have no effect on this target with these types.
  virtual std::vector<IgnoredKey> IgnoredKeys(const PlanOptions&) const { return {}; }
  /// Without an op list: does it what this key of Quark, switched on, asks of one?
  virtual bool DoesAnyway(std::string_view /*key*/) const { return false; }
  /// Sets what the target derives from the settings of layers and tensors: these are taken out of the options before
  /// the target plans with them.
  virtual void SettleFormat(PlanOptions*) const {}
  /// Sets the scales and the type of activations that the target needs, where the user has set none. Errors:
  /// kConflictingOptions for others.
  virtual Status SettleScales(const GivenScales&, PlanOptions*) const { return Status::Ok(); }
  /// Can tensors have the types that the options name?
  virtual bool Takes(const PlanOptions& options) const = 0;
  /// False when no tensor has a range: nothing has to be calibrated.
  virtual bool NeedsStatistics(const PlanOptions&) const { return true; }
  /// May algorithms change weights and biases by what they learn from samples?
  virtual bool TakesImprovements(const PlanOptions&) const { return true; }
  /// Do its models lose too much without codes that make up for each other? Then --effort default asks for them.
  virtual bool NeedsBetterCodes() const { return false; }
  /// False: the target quantizes only weights.
  virtual bool QuantizesActivations() const { return true; }
  /// Are its numbers no other tool's, so that samples may choose codes of bytes, too?
  virtual bool HasOwnNumbers() const { return false; }
  /// Should samples choose the codes of weights unless the user says otherwise: few ones, or bytes?
  /// @param types  PlanOptions::Types
  bool FitsCodes(const std::vector<TensorType>& types, const TensorType& weight) const {
    return std::ranges::any_of(types, HasFewCodes) || (HasOwnNumbers() && IsByte(weight));
  }
  virtual DataType DefaultWeight(const WeightRule&) const { return DataType::kInt8; }
  /// Does the target want this pass, by its name, unless the user says otherwise? `by_default`: the pass's own default.
  virtual bool WantsPass(std::string_view, bool by_default, const PlanOptions&) const { return by_default; }
  /// Do the stages in OpListOptions::preprocessing decide which passes the target wants? Else those that stand for a
  /// stage which is off are.
  virtual bool HasStages(const PlanOptions&) const { return false; }
  /// Is this node none that the pass, which it wants, may rewrite?
  virtual bool LeavesNode(std::string_view, const Model&, const Node&, const PlanOptions&) const { return false; }
  /// Are bodies of Loop and Scan rewritten, too?
  virtual bool RewritesBodies(const PlanOptions&) const { return false; }
};

using TargetRegistry = Registry<Target>;

}  // namespace preon
