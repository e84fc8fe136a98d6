// fold_pad: zero padding in front of a convolution becomes its own.
//
// Before:      t = Pad(x, pads, 0);  y = Conv(t, W, b) {pads}
// After:       y = Conv(x, W, b) {pads + the Pad's}
// Conditions:  Pad's mode is constant with value 0; its pads are constant, not negative and only on spatial dimensions;
//              t is read by the Conv alone and is no graph output; Conv's auto_pad is NOTSET or VALID.
// Formula:     pads'[k] = pads[k] + spatial part of the Pad's pads
#include <algorithm>

#include "passes/node_pass.h"
#include "passes/passes.h"
#include "passes/support/match.h"
#include "passes/support/rewrite.h"

namespace preon {
namespace {

bool PadsWithZero(const Graph& graph, const Node& pad) {
  if (pad.String("mode", "constant") != "constant" || pad.Float("value", 0) != 0) return false;
  if (!pad.input(3).empty()) return false;  // explicit axes (opset 18) are rare, and only then partial
  return pad.input(2).empty() || IsScalar(graph, pad.input(2), 0, 0);
}

class FoldPad final : public NodePass {
 public:
  FoldPad()
      : NodePass({.name = "fold_pad",
                  .summary = "a Pad with zeros in front of a Conv becomes padding of the Conv",
                  .target_ops = {"Conv"}}) {}

 private:
  Result<bool> Rewrite(Model& model, Node& conv, const PassEnv&) const override {
    Graph& graph = model.graph;
    Node* pad = ProducerOf(graph, conv.input(0), "Pad");
    if (pad == nullptr || OnlyReader(graph, conv.input(0)) == nullptr || !PadsWithZero(graph, *pad)) return false;
    const std::string auto_pad = conv.String("auto_pad", "NOTSET");
    if (auto_pad != "NOTSET" && auto_pad != "VALID") return false;

    const std::optional<std::vector<int64_t>> added = IntsOf(graph, *pad, 1, "pads");
    const std::optional<Shape> weight = graph.ShapeOf(conv.input(1));
    if (!added.has_value() || !weight.has_value()) return false;
    if (weight->size() < 3) return false;
    const size_t rank = weight->size(), spatial = rank - 2;
    if (added->size() != 2 * rank || std::any_of(added->begin(), added->end(), [](int64_t p) { return p < 0; }))
      return false;
    if ((*added)[0] + (*added)[1] + (*added)[rank] + (*added)[rank + 1] != 0) return false;
    std::vector<int64_t> pads = conv.Ints("pads");
    if (pads.empty()) pads.assign(2 * spatial, 0);
    if (pads.size() != 2 * spatial) return false;

    for (size_t dim = 0; dim < spatial; ++dim) {
      pads[dim] += (*added)[2 + dim];
      pads[spatial + dim] += (*added)[rank + 2 + dim];
    }
    conv.attributes.erase("auto_pad");
    conv.attributes["pads"] = std::move(pads);
    Absorb(conv, *pad);
    graph.SetInput(&conv, 0, pad->input(0));
    graph.RemoveNode(pad);
    return true;
  }
};

}  // namespace

std::unique_ptr<Pass> MakeFoldPadPass() { return std::make_unique<FoldPad>(); }

}  // namespace preon
