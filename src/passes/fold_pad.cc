// fold_pad: padding in front of a convolution or a maximum becomes its own.
//
// Before:      t = Pad(x, pads, 0);  y = Conv(t, W, b) {pads}
//              t = Pad(x, pads);     y = MaxPool(t) {pads}
//              either with a Transpose of t between the two
// After:       y = Conv(x, W, b) {pads + the Pad's};  y = MaxPool(x) {pads + the Pad's}
// Conditions:  The Pad's pads are constant, not negative and only on spatial dimensions; t and its Transpose are read
//              here alone and are no graph outputs; auto_pad is NOTSET or VALID.
//              Conv: the Pad's mode is constant with value 0.
//              MaxPool: the mode is edge, or constant with value 0 behind a Relu; no dilations, no indices; all pads
//              are smaller than the kernel: each window holds a real value, which is at least what is added there.
// Formula:     pads'[k] = pads[k] + what the Pad adds to spatial dimension k
#include <algorithm>
#include <functional>

#include "passes/node_pass.h"
#include "passes/passes.h"
#include "passes/support/match.h"
#include "passes/support/moves.h"
#include "passes/support/rewrite.h"

namespace preon {
namespace {

// In front of a node, directly or in front of a Transpose there.
struct Found {
  Node* pad = nullptr;
  Node* transpose = nullptr;
};

std::optional<Found> FindPad(const Graph& graph, const Node& node) {
  Found found{.transpose = ProducerOf(graph, node.input(0), "Transpose")};
  const Node& reader = found.transpose == nullptr ? node : *found.transpose;
  found.pad = ProducerOf(graph, reader.input(0), "Pad");
  if (found.pad == nullptr || OnlyReader(graph, node.input(0)) == nullptr ||
      OnlyReader(graph, found.pad->output()) == nullptr)
    return std::nullopt;
  return found;
}

// What the Pad adds to the spatial dimensions of the node's input, as the node says it: [begin of each, end of each].
std::optional<std::vector<int64_t>> SpatialPads(const Graph& graph, const Found& found, size_t rank) {
  const std::optional<std::vector<int64_t>> pads = IntsOf(graph, *found.pad, 1, "pads");
  if (!pads || pads->size() != 2 * rank || !found.pad->input(3).empty()) return std::nullopt;
  std::optional<std::vector<int64_t>> perm;
  if (found.transpose != nullptr) {
    perm = PermOf(graph, *found.transpose);
    if (!perm || perm->size() != rank) return std::nullopt;
  }
  std::vector<int64_t> spatial;
  for (const size_t end : {size_t{0}, rank}) {
    for (size_t dim = 0; dim < rank; ++dim) {
      const int64_t added = (*pads)[(perm ? static_cast<size_t>((*perm)[dim]) : dim) + end];
      if (added < 0 || (dim < 2 && added != 0)) return std::nullopt;
      if (dim >= 2) spatial.push_back(added);
    }
  }
  return spatial;
}

// `pads` are all that a MaxPool would have.
bool FitsMaxPool(const Graph& graph, const Node& node, const Node& pad, const std::vector<int64_t>& pads) {
  const Node* before = graph.Producer(pad.input(0));
  const bool is_edge = pad.String("mode", "constant") == "edge";
  const bool adds_least = PadsWithZero(graph, pad) && before != nullptr && before->Is("Relu");
  const std::vector<int64_t> kernel = node.Ints("kernel_shape"), dilations = node.Ints("dilations");
  if ((!is_edge && !adds_least) || node.outputs().size() != 1) return false;
  if (std::ranges::any_of(dilations, [](int64_t dilation) { return dilation != 1; })) return false;
  for (size_t index = 0; index < pads.size(); ++index) {
    if (pads[index] >= kernel[index % kernel.size()]) return false;
  }
  return true;
}

class FoldPad final : public NodePass {
 public:
  FoldPad()
      : NodePass(
            {.name = "fold_pad",
             .summary =
                 "a Pad before Conv or MaxPool becomes the node's pads attribute where the padding value is the same",
             .target_ops = {"Conv", "MaxPool"}}) {}

 private:
  Result<bool> Rewrite(Model& model, Node& node, const PassEnv&) const override {
    Graph& graph = model.graph;
    const std::optional<Found> found = FindPad(graph, node);
    const std::string auto_pad = node.String("auto_pad", "NOTSET");
    if (!found || (auto_pad != "NOTSET" && auto_pad != "VALID")) return false;
    const std::optional<Shape> weight = graph.ShapeOf(node.input(1));
    const size_t rank = node.Is("MaxPool") ? node.Ints("kernel_shape").size() + 2 : weight ? weight->size() : 0;
    if (rank < 3) return false;
    const std::optional<std::vector<int64_t>> added = SpatialPads(graph, *found, rank);
    std::vector<int64_t> pads = node.Ints("pads");
    if (pads.empty()) pads.assign(2 * (rank - 2), 0);
    if (!added || pads.size() != added->size()) return false;
    std::ranges::transform(pads, *added, pads.begin(), std::plus());
    if (!(node.Is("Conv") ? PadsWithZero(graph, *found->pad) : FitsMaxPool(graph, node, *found->pad, pads)))
      return false;

    node.attributes.erase("auto_pad");
    node.attributes["pads"] = std::move(pads);
    Absorb(node, *found->pad);
    graph.SetInput(found->transpose == nullptr ? &node : found->transpose, 0, found->pad->input(0));
    graph.RemoveNode(found->pad);
    return true;
  }
};

}  // namespace

std::unique_ptr<Pass> MakeFoldPadPass() { return std::make_unique<FoldPad>(); }

}  // namespace preon
