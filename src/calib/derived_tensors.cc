#include "calib/derived_tensors.h"

#include <optional>
#include <set>

namespace preon {
namespace {

// The operator's function of its only input.
std::optional<ScalarFunction> GateOf(const Node& node) {
  using Gate = ScalarFunction::Gate;
  if (node.Is("Sigmoid")) return ScalarFunction{Gate::kSigmoid};
  if (node.Is("Tanh")) return ScalarFunction{Gate::kTanh};
  if (node.Is("HardSwish")) return ScalarFunction{Gate::kHardSigmoid, 1.0f / 6, 0.5f, true};
  if (!node.Is("HardSigmoid") || node.Float("alpha", 0.2f) <= 0) return std::nullopt;
  return ScalarFunction{Gate::kHardSigmoid, node.Float("alpha", 0.2f), node.Float("beta", 0.5f)};
}

std::optional<DerivedTensor> FunctionOf(const Graph& graph, const Node& node) {
  if (const auto gate = GateOf(node)) return DerivedTensor{node.input(0), *gate};
  if (!node.Is("Mul")) return std::nullopt;
  for (const size_t gated : {0, 1}) {
    const Node* producer = graph.Producer(node.input(gated));
    if (producer == nullptr || producer->home != node.home || producer->input(0) != node.input(1 - gated)) continue;
    std::optional<ScalarFunction> gate = GateOf(*producer);
    if (!gate || gate->times_input || gate->gate == ScalarFunction::Gate::kTanh) continue;
    gate->times_input = true;
    return DerivedTensor{node.input(1 - gated), *gate};
  }
  return std::nullopt;
}

}  // namespace

DerivedTensors FindDerived(const Graph& graph, const std::vector<std::string>& tensors) {
  const std::set<std::string> wanted(tensors.begin(), tensors.end());
  DerivedTensors derived;
  for (const auto& node : graph.nodes()) {  // sorted: sources come first
    if (node->outputs().size() != 1 || !wanted.contains(node->output())) continue;
    const std::optional<DerivedTensor> found = FunctionOf(graph, *node);
    if (!found || !wanted.contains(found->source) || derived.contains(found->source)) continue;
    const Node* producer = graph.Producer(found->source);
    if ((producer == nullptr ? std::nullopt : producer->home) == node->home) derived.emplace(node->output(), *found);
  }
  return derived;
}

}  // namespace preon
