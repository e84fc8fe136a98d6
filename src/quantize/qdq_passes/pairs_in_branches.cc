#include "quantize/qdq_passes/pairs_in_branches.h"

#include <algorithm>
#include <map>

#include "ir/if_scopes.h"

namespace preon {
namespace {

// What is to be done, found before anything changes: scopes hold for the graph as it is.
struct SplitPair {
  Node* dequantize;
  std::map<int, std::vector<Use>> readers;  // by scope; those that keep the node are left out
};

SplitPair FindReaders(const Graph& graph, const IfScopes& scopes, Node* dequantize) {
  SplitPair split{dequantize, {}};
  // Readers of the name, where there are any, keep the node; else the first scope does.
  int keeps = graph.IsOutput(dequantize->output()) ? IfScopes::kOutside : IfScopes::kNowhere;
  for (const Use& use : graph.Uses(dequantize->output())) {
    if (use.captured && keeps == IfScopes::kNowhere) keeps = scopes.ReadScope(use);
    if (!use.captured) split.readers[scopes.ReadScope(use)].push_back(use);
  }
  if (keeps == IfScopes::kNowhere && !split.readers.empty()) keeps = split.readers.begin()->first;
  split.readers.erase(keeps);
  return split;
}

void Apply(const SplitPair& split, const IfScopes& scopes, Graph& graph) {
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

}  // namespace

Status PlacePairsInBranches(Graph& graph) {
  const auto& nodes = graph.nodes();
  if (std::none_of(nodes.begin(), nodes.end(), [](const auto& node) { return node->IsFlatIf(); })) return Status::Ok();
  PREON_RETURN_IF_ERROR(graph.SortTopologically());
  const IfScopes scopes(graph);
  std::vector<SplitPair> splits;
  for (const auto& node : nodes) {
    if (node->op_type == "QuantizeLinear") {
      const Node* producer = graph.Producer(node->input(0));
      if (producer != nullptr) node->home = scopes.BranchOf(scopes.ScopeOf(*producer));
    } else if (node->op_type == "DequantizeLinear") {
      splits.push_back(FindReaders(graph, scopes, node.get()));
    }
  }
  for (const SplitPair& split : splits) Apply(split, scopes, graph);
  return Status::Ok();
}

}  // namespace preon
