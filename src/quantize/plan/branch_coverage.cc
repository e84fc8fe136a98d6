#include "quantize/plan/branch_coverage.h"

#include "ir/if_scopes.h"

namespace preon {
namespace {

// Where a tensor is observed: beside what writes it; one that nothing writes where all its readers are.
int ObservedIn(const Graph& graph, const IfScopes& scopes, const std::string& tensor) {
  const Node* producer = graph.Producer(tensor);
  return producer != nullptr ? scopes.ScopeOf(*producer) : scopes.ReadScope(tensor);
}

}  // namespace

std::set<std::string> FindBranchProbes(const Graph& graph, const QuantPlan& plan) {
  const IfScopes scopes(graph);
  std::set<int> known = {IfScopes::kOutside};
  for (const std::string& tensor : plan.RangeTensors())
    known.insert(ObservedIn(graph, scopes, plan.ObservedFor(tensor)));
  std::set<std::string> branch_probes;
  for (const NodeDecision& decision : plan.nodes) {
    if (!decision.is_static()) continue;
    const Node& node = *graph.FindNode(decision.node);
    if (known.count(scopes.ScopeOf(node)) > 0) continue;
    for (const std::string& tensor : node.outputs()) {
      if (graph.TypeOf(tensor) != DataType::kFloat) continue;
      branch_probes.insert(tensor);
      known.insert(scopes.ScopeOf(node));
      break;
    }
  }
  return branch_probes;
}

NotReached FindNotReached(const Graph& graph, const std::vector<std::string>& observed,
                          const std::set<std::string>& empty) {
  NotReached not_reached;
  if (empty.empty()) return not_reached;
  const IfScopes scopes(graph);
  std::set<int> seen, watched;
  for (const std::string& tensor : observed) {
    const int scope = ObservedIn(graph, scopes, tensor);
    watched.insert(scope);
    if (empty.count(tensor) > 0) continue;
    for (int reached = scope; reached > IfScopes::kOutside; reached = scopes.Parent(reached)) seen.insert(reached);
  }
  // The outermost branch around a scope that nothing was seen in; kNowhere if there is none.
  const auto untaken = [&](int scope) {
    int found = IfScopes::kNowhere;
    for (; scope > IfScopes::kOutside; scope = scopes.Parent(scope)) {
      if (watched.count(scope) > 0 && seen.count(scope) == 0) found = scope;
    }
    return found;
  };

  std::set<int> branches;
  for (const auto& node : graph.nodes()) {
    const int branch = untaken(scopes.ScopeOf(*node));
    if (branch == IfScopes::kNowhere) continue;
    not_reached.nodes.insert(node->name);
    branches.insert(branch);
  }
  for (const int branch : branches) {
    const IfBranch place = scopes.BranchOf(branch);
    not_reached.places.push_back(StrCat(kIfBranches[place.branch], " of ", place.if_node));
  }
  for (const std::string& tensor : empty) {
    if (untaken(ObservedIn(graph, scopes, tensor)) == IfScopes::kNowhere) {
      not_reached.places.push_back(StrCat("tensor '", tensor, "'"));
    }
    if (const Node* producer = graph.Producer(tensor)) not_reached.nodes.insert(producer->name);
    for (const Use& use : graph.Uses(tensor)) {
      if (!use.node->IsFlatIf()) not_reached.nodes.insert(use.node->name);  // an If runs whichever branch it takes
    }
  }
  return not_reached;
}

}  // namespace preon
