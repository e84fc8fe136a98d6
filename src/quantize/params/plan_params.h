// PlanParams: scale and zero point of every activation of a plan, from its ranges.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "quantize/params/position_table.h"
#include "quantize/params/tensor_params.h"
#include "quantize/plan/quant_plan.h"

namespace preon {

/// Behind the owner's name in that of a second pair's constants.
inline std::string ConvertSuffix(size_t index) { return index == 0 ? "_convert" : StrCat("_convert_", index + 1); }

/// The same where Quark adds the pair.
inline constexpr const char* kAddedSuffix = "_additional";
/// What the names of a second pair's constants begin with.
inline std::string OwnerOfConverted(const std::string& tensor, const ActivationPlan& plan, size_t index) {
  const bool own = !plan.added.empty() && plan.converts[index].added.empty();
  return own ? tensor : tensor + ConvertSuffix(index);
}

/// Of one activation.
struct ActivationParams {
  IntFormat format;
  QuantParams params;
  std::string owner;                 ///< tensor whose scale and zero-point constants it uses
  const BlockPlan* block = nullptr;  ///< instead of these
  std::span<const ConvertPlan> converts;
  std::vector<QuantParams> converted;  ///< of these

  /// Codes one step apart; floats and blocks have steps of many sizes.
  bool has_steps() const { return block == nullptr && !format.floating(); }
};

class PlanParams {
 public:
  PlanParams(const Graph& graph, const QuantPlan& plan, const TensorRanges& ranges)
      : graph_(graph), plan_(plan), ranges_(ranges), maker_(plan.compat, plan.min_real_range) {}

  /// Errors: kRangeMissing, kRangeInvalid.
  Status Compute();

  std::map<std::string, ActivationParams>& activations() { return activations_; }
  const std::map<std::string, ActivationParams>& activations() const { return activations_; }
  /// Null where it has no scale.
  const ActivationParams* Find(const std::string& tensor) const;
  /// What a node reads of it: the second pair's where it is one of those.
  QuantParams SeenBy(const std::string& node, const std::string& tensor) const;
  /// Its first pair's scale as it was before alignments.
  float ScaleBeforeAlignment(const std::string& tensor) const;
  /// A constant's own, before biases enlarge them: one per channel or block.
  Result<std::vector<QuantParams>> OfWeight(const std::string& weight, const WeightPlan& plan);
  std::optional<std::string> Warning() const { return maker_.Warning(); }
  /// From now on the constant's only scale is 2^-position with a position in these bounds: nearest to what it would be.
  void Bound(const std::string& constant, PositionBounds bounds) { bounds_[constant] = bounds; }
  /// Is its scale known without its values?
  bool IsSettled(const std::string& constant) const;
  /// The position that OfWeight gave last; nothing where it has no bounds.
  std::optional<int> UsedPosition(const std::string& constant) const;

 private:
  Result<std::vector<QuantParams>> WithinBounds(const std::string& weight, const WeightPlan& plan,
                                                PositionBounds bounds);
  Result<std::vector<QuantParams>> Unbounded(const std::string& weight, const WeightPlan& plan);
  Status ComputeWithOwner(const std::string& tensor, const ActivationPlan& activation);
  Status ComputeOne(const std::string& tensor, const ActivationPlan& activation);
  Status ComputeConverted(const std::string& tensor, const ActivationPlan& activation, ActivationParams& made);
  Result<Range> RangeOf(const std::string& tensor, const ActivationPlan& activation, const IntFormat& format) const;
  Result<std::vector<Range>> RangesOfWeight(const std::string& weight, const WeightPlan& plan) const;
  void Align();

  const Graph& graph_;
  const QuantPlan& plan_;
  const TensorRanges& ranges_;
  TensorParams maker_;
  std::map<std::string, ActivationParams> activations_;
  std::map<std::string, float> unaligned_;  // scales of those that were aligned
  std::map<std::string, PositionBounds> bounds_;
  std::map<std::string, int> used_;
};

}  // namespace preon
