// WriteHook: what an algorithm does while a plan is written.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "formats/int_format.h"
#include "ir/graph.h"
#include "quantize/params/plan_params.h"
#include "quantize/plan/quant_plan.h"
#include "quantize/write/divided_channels.h"

namespace preon {

/// A weight on its way to codes.
struct WeightToRound {
  const std::string& name;
  const WeightPlan& plan;                  ///< its readers, format, axis, block size
  const Tensor& values;                    ///< float
  const std::vector<QuantParams>& params;  ///< one per channel or block
};

/// Steps in the order in which ApplyPlan calls them; the defaults change nothing. One object serves one call of
/// ApplyPlan.
class WriteHook {
 public:
  virtual ~WriteHook() = default;
  /// Scales of activations are known, clamps that codes absorb are gone, weights are still float: constants may change
  /// as long as the model computes the same.
  virtual Result<std::vector<DividedChannels>> BeforeWeights(Graph&, const PlanParams&) {
    return std::vector<DividedChannels>();
  }
  /// Told of what any hook's BeforeWeights has divided.
  virtual void OnDivided(const DividedChannels&) {}
  /// The weight's codes; nullopt leaves them to the next hook, in the end to rounding to nearest.
  virtual Result<std::optional<EncodedTensor>> Round(const Graph&, const WeightToRound&) {
    return std::optional<EncodedTensor>();
  }
  /// What errors of a node's weight count, by the input that the weight is multiplied with; empty: all 1.
  virtual std::span<const float> ImportanceOfInputs(const std::string& /*node*/) const { return {}; }
  /// May ShiftOfBias have something to add to this bias?
  virtual bool ShiftsBias(const BiasPlan&) const { return false; }
  /// What to add to each value of the bias times the node's beta; empty: nothing.
  /// @param error  weight before rounding minus after, float, in the weight's shape
  virtual std::vector<double> ShiftOfBias(const Graph&, const BiasPlan&, const Tensor& error) const { return {}; }
  /// All codes and pairs are written: these are their scales and zero points.
  virtual void OnWritten(const PlanParams&) {}
};
using WriteHooks = std::vector<std::unique_ptr<WriteHook>>;

}  // namespace preon
