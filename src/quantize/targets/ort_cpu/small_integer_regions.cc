#include "quantize/targets/ort_cpu/small_integer_regions.h"

#include <algorithm>
#include <vector>

#include "quantize/plan/estimated_time.h"
#include "quantize/plan/macs.h"

namespace preon {
namespace {

class IntegerRegions {
 public:
  IntegerRegions(const Graph& graph, const QuantPlan& plan) : graph_(graph), plan_(plan) {
    for (const NodeDecision& decision : plan.nodes)
      if (decision.is_static()) integer_.insert(graph.FindNode(decision.node));
  }

  std::set<std::string> SmallOnes() {
    std::set<std::string> small;
    for (const auto& node : graph_.nodes()) {
      if (!Integer(node.get()) || seen_.count(node.get()) > 0) continue;
      const std::vector<const Node*> region = Collect(node.get());
      const bool has_conv = std::ranges::any_of(region, [](const Node* member) { return member->Is("Conv"); });
      if (!has_conv || Gains(region)) continue;
      for (const Node* member : region)
        if (NodeMacs(graph_, *member) > 0) small.insert(member->name);
    }
    return small;
  }

 private:
  bool Integer(const Node* node) const { return integer_.count(node) > 0; }

  std::vector<const Node*> Collect(const Node* first) {
    std::vector<const Node*> region, open = {first};
    while (!open.empty()) {
      const Node* node = open.back();
      open.pop_back();
      if (!Integer(node) || !seen_.insert(node).second) continue;
      region.push_back(node);
      for (const std::string& tensor : node->inputs()) open.push_back(graph_.Producer(tensor));
      for (const std::string& tensor : node->outputs())
        for (const Use& use : graph_.Uses(tensor)) open.push_back(use.node);
    }
    return region;
  }

  bool Gains(const std::vector<const Node*>& region) const {
    double gain = 0;
    for (const Node* node : region) gain += SavedNs(graph_, *node);
    for (const std::string& tensor : BoundaryTensors(graph_, plan_, {region.begin(), region.end()}))
      gain -= BoundaryNs(graph_, tensor);
    return gain >= 0;
  }

  const Graph& graph_;
  const QuantPlan& plan_;
  std::set<const Node*> integer_, seen_;
};

}  // namespace

std::set<std::string> NodesOfSmallIntegerRegions(const Graph& graph, const QuantPlan& plan) {
  return IntegerRegions(graph, plan).SmallOnes();
}

}  // namespace preon
