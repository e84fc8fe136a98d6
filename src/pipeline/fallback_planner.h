// Nodes that stay float for what came out after the first plan: no data reached them, or the runtime runs them in
// float.
#pragma once

#include <functional>
#include <optional>

#include "base/status.h"
#include "calib/calibration.h"
#include "pipeline/prepare_model.h"
#include "quantize/params/position_table.h"
#include "quantize/plan/float_fallback.h"
#include "quantize/plan/target.h"
#include "report/results/results.h"

namespace preon {

/// What came out when a plan was written; null: nobody knows.
struct WrittenFacts {
  const Placement* placement = nullptr;
  const PositionTable* positions = nullptr;
};

/// Plans a prepared model again. What it is given outlives it.
class FallbackPlanner {
 public:
  /// @param saved  ranges that need no statistics; may be null
  FallbackPlanner(const Target& target, const PlanOptions& options, const CalibrationData& data,
                  const TensorRanges* saved)
      : target_(target), options_(options), data_(data), saved_(saved) {}

  bool FollowsRuntime() const { return target_.FollowsRuntime(); }

  /// The plan with these nodes in float, too; none when nothing would be left to quantize or it needs statistics that
  /// the data lack. Errors: those of Target::Plan.
  Result<std::optional<QuantPlan>> PlanWithout(const FloatNodes& nodes, const PlannedModel& prepared) const;

  /// The plan with these layers over those of the options; none as above. Errors: those of Target::Plan.
  Result<std::optional<QuantPlan>> PlanWithLayers(const std::vector<LayerOverride>& layers,
                                                  const PlannedModel& prepared) const;

  /// Leaves the nodes that the data never reached in float, until everything that the plan observes had values; a
  /// warning says where they are. Errors: kNothingToQuantize when nothing is left; those of Target::Plan.
  Status LeaveNotReached(PreparedModel& prepared) const;

  /// Writes `prepared` with `write`, which says what came of it, and leaves the nodes in float that were planned in
  /// integers and run in float (their codes would be expanded in every run; targets that follow the runtime), or whose
  /// positions contradict each other (NPUs). Ends with the last thing written being the plan.
  Status LeaveUnfit(PlannedModel& prepared, const std::function<Result<WrittenFacts>()>& write) const;

 private:
  Result<QuantPlan> Plan(const Model& model, const FloatNodes& left_float) const;
  std::optional<QuantPlan> IfPossible(QuantPlan plan) const;
  Result<FallbackEnd> Run(PlannedModel& prepared, FloatFallback fallback) const;
  bool HasStatistics(const QuantPlan& plan) const;
  bool HasRange(const QuantPlan& plan, const std::string& tensor) const;
  std::string ObservedInFront(const Graph& graph, const std::string& tensor) const;

  const Target& target_;
  const PlanOptions& options_;
  const CalibrationData& data_;
  const TensorRanges* saved_;
};

}  // namespace preon
