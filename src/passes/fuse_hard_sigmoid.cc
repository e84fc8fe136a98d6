// fuse_hard_sigmoid: a line between 0 and 1 that is written out becomes HardSigmoid.
//
// Before:      y = Clip(x + c, 0, d) / d;   y = u * Clip(x + c, 0, d) / d
// After:       y = HardSigmoid(x) {alpha = 1 / d, beta = c / d};   y = u * HardSigmoid(x)
// Conditions:  c and d constants of one element, d above 0; nothing else reads what lies between.
// Formula:     Clip(x + c, 0, d) / d = min(max(x / d + c / d, 0), 1); with u = x this is the hard swish
// Why:         half the passes over the values; the four operators that the runtime runs one after the other take a
//              third of the time of a PP-OCR v4 detector.
#include <cmath>

#include "passes/node_pass.h"
#include "passes/passes.h"
#include "passes/support/clamp.h"
#include "passes/support/match.h"
#include "passes/support/rewrite.h"

namespace preon {
namespace {

struct Line {
  Node* add;
  Node* clip;
  std::string x;
  double offset, top;
};

// Clip(x + c, 0, d) that is read once.
std::optional<Line> MatchLine(const Graph& graph, const std::string& tensor) {
  Node* const clip = graph.Producer(tensor);
  const std::optional<ClampBounds> bounds = clip == nullptr ? std::nullopt : MatchClamp(graph, *clip);
  if (!bounds || bounds->low != 0 || !(bounds->high > 0) || !std::isfinite(bounds->high)) return std::nullopt;
  Node* const add = ProducerOf(graph, clip->input(ClampedInput(graph, *clip)), "Add");
  if (add == nullptr) return std::nullopt;
  const std::optional<ScalarOperand> offset = ScalarOperandOf(graph, *add);
  if (!offset) return std::nullopt;
  return Line{add, clip, add->input(offset->data), offset->value, bounds->high};
}

class FuseHardSigmoid final : public NodePass {
 public:
  FuseHardSigmoid()
      : NodePass({.name = "fuse_hard_sigmoid",
                  .summary = "Add, Clip and Div become HardSigmoid; hard swish becomes a product with it",
                  .target_ops = {"Div", "Mul"},
                  .on_by_default = false}) {}

 private:
  Result<bool> Rewrite(Model& model, Node& node, const PassEnv&) const override {
    Graph& graph = model.graph;
    const std::optional<ScalarOperand> scalar = ScalarOperandOf(graph, node);
    if (!scalar || (node.Is("Div") && scalar->data != 0)) return false;
    const double divisor = node.Is("Div") ? scalar->value : 1.0 / scalar->value;
    const std::string divided = node.input(scalar->data);
    Node* const product = ProducerOf(graph, divided, "Mul");
    std::optional<Line> line = MatchLine(graph, divided);
    for (size_t index = 0; product != nullptr && !line && index < 2; ++index)
      line = MatchLine(graph, product->input(index));
    if (!line || std::abs(divisor / line->top - 1) > 1e-6) return false;

    const bool has_product = line->clip->output() != divided;
    const std::string u = has_product ? OtherInput(*product, line->clip->output()) : "";
    if (has_product && (u.empty() || u == line->add->output())) return false;
    std::vector<Node*> nodes = {line->add, line->clip};
    if (has_product) nodes.push_back(product);
    nodes.push_back(&node);
    if (!IsClosed(graph, nodes, &node)) return false;

    const std::map<std::string, AttributeValue> line_of = {{"alpha", static_cast<float>(1 / line->top)},
                                                           {"beta", static_cast<float>(line->offset / line->top)}};
    if (!has_product) {
      Become(graph, node, "HardSigmoid", {line->x}, line_of);
      AbsorbAll(graph, nodes, node);
      return true;
    }
    Node* const clip = line->clip;
    Become(graph, *clip, "HardSigmoid", {line->x}, line_of);
    Become(graph, node, "Mul", {u, clip->output()}, {});
    Absorb(*clip, *line->add);
    Absorb(node, *product);
    graph.RemoveNode(product);
    graph.RemoveNode(line->add);
    return true;
  }
};

}  // namespace

std::unique_ptr<Pass> MakeFuseHardSigmoidPass() { return std::make_unique<FuseHardSigmoid>(); }

}  // namespace preon
