#include "search/float_groups.h"

#include <algorithm>

namespace preon {
namespace {

constexpr size_t kMostSeen = 64;  // nodes on the way to the next ones

}  // namespace

std::vector<NodeGroup> EndGroups(const std::vector<std::string>& nodes) {
  std::vector<NodeGroup> groups;
  for (size_t size = 1; size < nodes.size(); size += std::max<size_t>(1, size / 5)) {
    const auto count = static_cast<ptrdiff_t>(size);
    groups.emplace_back(nodes.begin(), nodes.begin() + count);
    groups.emplace_back(nodes.end() - count, nodes.end());
  }
  return groups;
}

NodeGroup GroupAround(const Graph& graph, const NodeGroup& nodes, const std::string& node) {
  NodeGroup group = {node};
  const Node* const middle = graph.FindNode(node);
  for (const bool forward : {false, true}) {
    std::set<const Node*> seen = {middle};
    std::vector<const Node*> open = {middle};
    const auto visit = [&](const Node* next) {
      if (next == nullptr || !seen.insert(next).second) return;
      if (nodes.contains(next->name))
        group.insert(next->name);
      else
        open.push_back(next);
    };
    while (!open.empty() && seen.size() < kMostSeen) {
      const Node* at = open.back();
      open.pop_back();
      if (forward)
        for (const std::string& output : at->outputs())
          for (const Use& use : graph.Uses(output)) visit(use.node);
      else
        for (const std::string& input : at->inputs()) visit(graph.Producer(input));
    }
  }
  return group;
}

}  // namespace preon
