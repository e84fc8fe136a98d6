#include "search/error_look.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace preon {
namespace {

constexpr size_t kWorstNodes = 12;
constexpr double kLeastIntegerShare = 0.1;

double IntegerMacs(const QuantPlan& plan) {
  double macs = 0;
  for (const NodeDecision& decision : plan.nodes) macs += decision.reason == FloatReason::kNone ? decision.macs : 0;
  return macs;
}

}  // namespace

Result<ErrorLook> LookAtErrors(const PlannedModel& planned, const RangeMethod& method, const PlanInputs& inputs,
                               Trials& trials) {
  ErrorLook look;
  PREON_ASSIGN_OR_RETURN(look.measured, RunLockStep(planned, method, inputs, trials.samples(), trials.BeginRun()));
  look.sources = FindErrorSources(planned.model.graph, planned.plan, look.measured);
  look.graph = planned.model.graph;
  for (const auto& [tensor, shape] : look.measured.shapes)
    look.graph.SetInfo(tensor, {.type = DataType::kFloat, .shape = shape});
  return look;
}

std::vector<std::string> IntegerProducts(const QuantPlan& plan) {
  std::vector<std::string> products;
  for (const NodeDecision& decision : plan.nodes)
    if (decision.reason == FloatReason::kNone && decision.macs > 0) products.push_back(decision.node);
  return products;
}

std::vector<NodeGroup> CandidateGroups(const Graph& graph, const std::vector<std::string>& products,
                                       const NodeGroup& kept, const ErrorSources& sources) {
  std::vector<NodeGroup> groups = EndGroups(products);
  std::vector<std::pair<double, std::string>> worst;
  for (const std::string& node : products)
    if (!kept.contains(node)) worst.emplace_back(sources.Around(*graph.FindNode(node)), node);
  std::ranges::sort(worst, std::greater());
  if (worst.size() > kWorstNodes) worst.resize(kWorstNodes);
  const NodeGroup all(products.begin(), products.end());
  for (const auto& [noise, node] : worst) {
    groups.push_back({node});
    groups.push_back(GroupAround(graph, all, node));
  }
  return groups;
}

bool LeavesEnoughIntegers(const QuantPlan& plan, const QuantPlan& first) {
  return IntegerMacs(plan) >= kLeastIntegerShare * IntegerMacs(first);
}

FloatNodes InFloatForAccuracy(const NodeGroup& nodes) {
  FloatNodes in_float;
  for (const std::string& node : nodes) in_float.emplace(node, FloatReason::kAccuracy);
  return in_float;
}

double SqnrOf(double noise_over_signal) { return -10 * std::log10(std::max(noise_over_signal, 1e-20)); }

}  // namespace preon
