#include "quantize/targets/ort_cpu/small_integer_regions.h"

#include <algorithm>
#include <vector>

#include "quantize/plan/macs.h"

namespace preon {
namespace {

constexpr double kSavedNsPerMac = 0.014;  // dense convolutions; depthwise ones are no faster in integers
// Read once per run, a quarter of the bytes: decides where few positions use it.
constexpr double kSavedNsPerWeight = 0.25;
constexpr double kBoundaryNs = 8000;  // two dispatches: (de)quantize, and turn the channels last or back
constexpr double kBoundaryNsPerElement = 0.6;

double Elements(const Graph& graph, const std::string& tensor) {
  double product = 1;
  for (const int64_t extent : graph.ShapeOf(tensor).value_or(Shape{}))
    product *= static_cast<double>(std::max<int64_t>(extent, 1));
  return product;
}

class IntegerRegions {
 public:
  IntegerRegions(const Graph& graph, const QuantPlan& plan) : graph_(graph), plan_(plan) {
    for (const NodeDecision& decision : plan.nodes)
      if (decision.reason == FloatReason::kNone) integer_.insert(graph.FindNode(decision.node));
  }

  std::set<std::string> SmallOnes() {
    std::set<std::string> small;
    for (const auto& node : graph_.nodes()) {
      if (!Integer(node.get()) || seen_.count(node.get()) > 0) continue;
      const std::vector<const Node*> region = Collect(node.get());
      const bool has_conv = std::ranges::any_of(region, [](const Node* member) { return member->Is("Conv"); });
      if (!has_conv || SavedNs(region) >= BoundaryNs(region)) continue;
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

  double SavedNs(const std::vector<const Node*>& region) const {
    double saved = 0;
    for (const Node* node : region) {
      const double macs = NodeMacs(graph_, *node);
      if (macs > 0 && node->Int("group", 1) == 1)
        saved += kSavedNsPerMac * macs + kSavedNsPerWeight * Elements(graph_, node->input(1));
    }
    return saved;
  }

  double BoundaryNs(const std::vector<const Node*>& region) const {
    std::set<std::string> boundaries;
    for (const Node* node : region) {
      for (const std::string& tensor : node->inputs())
        if (plan_.activations.count(tensor) > 0 && !Integer(graph_.Producer(tensor))) boundaries.insert(tensor);
      for (const std::string& tensor : node->outputs()) {
        const std::vector<Use> uses = graph_.Uses(tensor);
        const bool leaves = std::ranges::any_of(uses, [&](const Use& use) { return !Integer(use.node); });
        if (plan_.activations.count(tensor) > 0 && (leaves || graph_.IsOutput(tensor))) boundaries.insert(tensor);
      }
    }
    double cost = 0;
    for (const std::string& tensor : boundaries) cost += kBoundaryNs + kBoundaryNsPerElement * Elements(graph_, tensor);
    return cost;
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
