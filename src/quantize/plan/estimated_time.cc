#include "quantize/plan/estimated_time.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "quantize/plan/macs.h"

namespace preon {
namespace {

// Fastest runs, operator by operator, of PP-OCR v4, NudeNet and MobileNetV2; AVX-512 VNNI, 1 thread.
constexpr double kFloatNsPerMac = 0.018, kIntegerNsPerMac = 0.006;
constexpr double kFloatNsPerDepthwiseMac = 0.03, kIntegerNsPerDepthwiseMac = 0.085;
constexpr double kRecurrentNsPerMac = 0.05, kIntegerRecurrentNsPerMac = 0.02;
// Read once per run, a quarter of the bytes: decides where few positions use it.
constexpr double kSavedNsPerWeight = 0.25;
constexpr double kBoundaryNs = 8000;  // two dispatches: (de)quantize, and turn the channels last or back
constexpr double kBoundaryNsPerElement = 0.3;
constexpr double kReorderNsPerElement = 0.17;  // to or from the blocked layout of float convolutions
constexpr double kFloatNsPerElement = 0.17, kIntegerNsPerElement = 0.32;  // of Add, Mul, … that compute little
constexpr double kFloatNsPerFunction = 0.35, kIntegerNsPerFunction = 0.5, kNsPerMove = 0.1;
constexpr double kNodeNs = 3000;

constexpr std::array kFunctions = {"Sigmoid", "HardSigmoid", "HardSwish", "Tanh", "Erf", "Gelu", "Softmax", "Exp"};
constexpr std::array kViewOps = {"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity", "Shape", "Constant"};
constexpr std::array kCopies = {"Transpose", "Slice", "Split", "Gather", "Concat", "MaxPool", "Pad"};

constexpr std::array kBlockedOps = {
    "Conv", "Relu", "Clip", "Sigmoid", "Tanh", "MaxPool", "AveragePool", "GlobalAveragePool", "Concat"};

double Elements(const Graph& graph, const std::string& tensor) {
  double product = 1;
  for (const int64_t extent : graph.TypicalShapeOf(tensor).value_or(Shape{}))
    product *= static_cast<double>(std::max<int64_t>(extent, 1));
  return product;
}

bool IsDense(const Node& node) { return node.Int("group", 1) == 1; }

// Takes and gives the blocked layout of float convolutions.
bool IsBlocked(const Graph& graph, const Node* node) {
  if (node == nullptr) return false;
  if (node->Is("Add") || node->Is("Mul"))
    return std::ranges::none_of(node->inputs(), [&](const std::string& input) { return graph.Initializer(input); });
  return Contains(kBlockedOps, node->op_type);
}

double ReorderNs(const Graph& graph, const Node& conv) {
  double elements = IsBlocked(graph, graph.Producer(conv.input(0))) ? 0 : Elements(graph, conv.input(0));
  const std::vector<Use> uses = graph.Uses(conv.output());
  if (!std::ranges::all_of(uses, [&](const Use& use) { return IsBlocked(graph, use.node); }))
    elements += Elements(graph, conv.output());
  return elements * kReorderNsPerElement;
}

}  // namespace

double EstimatedNodeNs(const Graph& graph, const Node& node, bool integer) {
  const double elements = Elements(graph, node.output());
  if (const double macs = NodeMacs(graph, node); macs > 0) {
    const double reorder = !integer && node.Is("Conv") ? ReorderNs(graph, node) : 0;
    if (!IsDense(node))
      return macs * (integer ? kIntegerNsPerDepthwiseMac : kFloatNsPerDepthwiseMac) + reorder + kNodeNs;
    const double in_float = macs * kFloatNsPerMac + kSavedNsPerWeight * Elements(graph, node.input(1));
    return in_float + reorder - (integer ? SavedNs(graph, node) : 0) + kNodeNs;
  }
  if (IsRecurrent(node))
    return RecurrentMacs(graph, node) * (integer ? kIntegerRecurrentNsPerMac : kRecurrentNsPerMac) + kNodeNs;
  if (Contains(kViewOps, node.op_type)) return kNodeNs;
  if (node.Is("Relu") || node.Is("Clip")) {
    const Node* producer = graph.Producer(node.input(0));
    if (producer != nullptr && NodeMacs(graph, *producer) > 0) return 0;  // part of it
  }
  if (Contains(kFunctions, node.op_type))
    return elements * (integer ? kIntegerNsPerFunction : kFloatNsPerFunction) + kNodeNs;
  if (Contains(kCopies, node.op_type)) return elements * kNsPerMove + kNodeNs;
  return elements * (integer ? kIntegerNsPerElement : kFloatNsPerElement) + kNodeNs;
}

double SavedNs(const Graph& graph, const Node& node) {
  const double macs = NodeMacs(graph, node);
  if (macs <= 0 || !IsDense(node)) return 0;
  return (kFloatNsPerMac - kIntegerNsPerMac) * macs + kSavedNsPerWeight * Elements(graph, node.input(1));
}

std::set<std::string> BoundaryTensors(const Graph& graph, const QuantPlan& plan, const std::set<const Node*>& integer) {
  std::set<std::string> boundaries;
  for (const Node* node : integer) {
    for (const std::string& tensor : node->inputs())
      if (plan.activations.contains(tensor) && !integer.contains(graph.Producer(tensor))) boundaries.insert(tensor);
    for (const std::string& tensor : node->outputs()) {
      const std::vector<Use> uses = graph.Uses(tensor);
      const bool leaves = std::ranges::any_of(uses, [&](const Use& use) { return !integer.contains(use.node); });
      if (plan.activations.contains(tensor) && (leaves || graph.IsOutput(tensor))) boundaries.insert(tensor);
    }
  }
  return boundaries;
}

double BoundaryNs(const Graph& graph, const std::string& tensor) {
  return kBoundaryNs + kBoundaryNsPerElement * Elements(graph, tensor);
}

double EstimatedNs(const Graph& graph, const QuantPlan& plan) {
  std::set<const Node*> integer;
  double ns = 0;
  for (const NodeDecision& decision : plan.nodes) {
    const Node* node = graph.FindNode(decision.node);
    if (node == nullptr) continue;
    if (decision.is_static()) integer.insert(node);
    ns += EstimatedNodeNs(graph, *node, decision.reason == FloatReason::kNone);
    if (decision.dynamic) ns += Elements(graph, node->input(0)) * kBoundaryNsPerElement;  // the input becomes codes
  }
  for (const std::string& tensor : BoundaryTensors(graph, plan, integer)) ns += BoundaryNs(graph, tensor);
  return ns;
}

}  // namespace preon
