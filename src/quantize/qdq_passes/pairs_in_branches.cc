// pairs_in_branches: pairs across the edges of If branches move to where their kernels are.
//
// Before:      d = DequantizeLinear(QuantizeLinear(x, s, z), s, z); y = If(c) {then: A(d)} {else: B(d)}
// After:       the QuantizeLinear beside what writes x; a DequantizeLinear in each branch that reads it
// Conditions:  the graph has an If whose branches lie open (docs/design/subgraphs.md). Readers of the name (graph
//              outputs, sub-graphs) keep the node where it is.
// Formula:     -
// Why:         the runtime fuses only what lies in one graph.

#include <algorithm>
#include <map>

#include "ir/if_scopes.h"
#include "quantize/qdq_passes/qdq_passes.h"

namespace preon {
namespace {

// What is to be done, found before anything changes: scopes hold for the graph as it is.
struct SplitPair {
  Node* dequantize;
  std::map<int, std::vector<Use>> readers;  // by scope; those that keep the node are left out
  std::optional<IfBranch> home;             // of the node, once copies serve the others
};

SplitPair FindReaders(const Graph& graph, const IfScopes& scopes, Node* dequantize) {
  SplitPair split{dequantize, {}, dequantize->home};
  // Readers of the name, where there are any, keep the node; else the first scope does.
  int keeps = graph.IsOutput(dequantize->output()) ? IfScopes::kOutside : IfScopes::kNowhere;
  for (const Use& use : graph.Uses(dequantize->output())) {
    if (use.captured && keeps == IfScopes::kNowhere) keeps = scopes.ReadScope(use);
    if (!use.captured) split.readers[scopes.ReadScope(use)].push_back(use);
  }
  if (keeps == IfScopes::kNowhere && !split.readers.empty()) {
    keeps = split.readers.begin()->first;
    if (split.home) split.home = scopes.BranchOf(keeps);  // of a model that was read: nodes without one follow readers
  }
  split.readers.erase(keeps);
  return split;
}

void Copy(const SplitPair& split, const IfScopes& scopes, Graph& graph) {
  for (const auto& [scope, uses] : split.readers) {
    const Node& original = *split.dequantize;
    const std::string output = graph.UniqueTensorName(original.output());
    Node* copy =
        graph.AddNode(original.op_type, original.inputs(), {output}, original.name, original.domain, &original);
    copy->attributes = original.attributes;
    copy->home = scopes.BranchOf(scope);
    for (const Use& use : uses) graph.SetInput(use.node, use.input, output);
  }
}

class PairsInBranches final : public QdqPass {
 public:
  std::string_view name() const override { return "pairs_in_branches"; }
  std::string_view summary() const override {
    return "Q/DQ pairs that cross the border of an If branch move into the branch";
  }
  bool WantedBy(const QuantPlan&) const override { return true; }

  Result<Effect> Apply(Model& model, const QuantPlan&, std::vector<std::string>&) const override {
    Graph& graph = model.graph;
    const auto& nodes = graph.nodes();
    if (std::ranges::none_of(nodes, [](const auto& node) { return node->IsFlatIf(); })) return Effect::kUnchanged;
    PREON_RETURN_IF_ERROR(graph.SortTopologically());
    const IfScopes scopes(graph);
    bool changed = false;
    std::vector<SplitPair> splits;
    for (const auto& node : nodes) {
      if (node->op_type == "QuantizeLinear") {
        const Node* producer = graph.Producer(node->input(0));
        if (producer == nullptr) continue;
        const auto home = scopes.BranchOf(scopes.ScopeOf(*producer));
        changed = changed || node->home != home;
        node->home = home;
      } else if (node->op_type == "DequantizeLinear") {
        splits.push_back(FindReaders(graph, scopes, node.get()));
        changed = changed || !splits.back().readers.empty() || splits.back().home != node->home;
      }
    }
    for (const SplitPair& split : splits) {
      split.dequantize->home = split.home;
      Copy(split, scopes, graph);
    }
    return changed ? Effect::kChanged : Effect::kUnchanged;
  }
};

}  // namespace

std::unique_ptr<QdqPass> MakePairsInBranchesPass() { return std::make_unique<PairsInBranches>(); }

}  // namespace preon
