// A look at a plan's error: where its noise arises, and what that promises of other plans for the same graph.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pipeline/fallback_planner.h"
#include "pipeline/plan_inputs.h"
#include "pipeline/prepare_model.h"
#include "search/error_sources.h"
#include "search/float_groups.h"
#include "search/lock_step.h"
#include "search/trial.h"

namespace preon {

struct ErrorLook {
  LockStep measured;
  ErrorSources sources;
  Graph graph;  ///< of the planned model, with the shapes of a run
};

/// Runs the plan and float in lock-step on some of the trials' samples. Errors: those of RunLockStep.
Result<ErrorLook> LookAtErrors(const PlannedModel& planned, const RangeMethod& method, const PlanInputs& inputs,
                               Trials& trials);

/// What several nodes in float promise, against a plan that has them in integers.
struct FloatGroup {
  NodeGroup nodes;  ///< all that the other plan leaves in float beside what it was given
  QuantPlan plan;
  double gain_db = 0, cost = 0;  ///< predicted: SQNR, share of the time
};

/// Integer Conv, MatMul and Gemm nodes, in the order of the graph.
std::vector<std::string> IntegerProducts(const QuantPlan& plan);

/// Groups that may be worth having in float: front ends, heads, and the worst nodes alone and with their neighbours.
/// @param kept  in float already
std::vector<NodeGroup> CandidateGroups(const Graph& graph, const std::vector<std::string>& products,
                                       const NodeGroup& kept, const ErrorSources& sources);

/// Whether a tenth of the work that `first` has in integers still is: with less, nothing is quantized.
bool LeavesEnoughIntegers(const QuantPlan& plan, const QuantPlan& first);

/// The nodes in float for accuracy.
FloatNodes InFloatForAccuracy(const NodeGroup& nodes);

/// 10·log10(signal / noise).
double SqnrOf(double noise_over_signal);

}  // namespace preon
