// merge_transposes: what stands between two Transposes goes in front of them, and two Transposes become one.
//
// Before:      y = F(Transpose(x));   y = Transpose(t),  t = Transpose(x)
// After:       y = Transpose(F(x));   y = Transpose(x), or x
// Conditions:  F is Relu, Clip, LeakyRelu, Sigmoid, HardSigmoid, HardSwish or Tanh, and alone reads the Transpose's
//              result, which is no graph output; t is read here alone and is no graph output, or the two undo each
//              other.
// Formula:     Transpose(Transpose(x, p), q) = Transpose(x, r),  r[k] = p[q[k]]
// Why:         exporters wrap each Conv of an NHWC model in Transposes; the runtime's integer Conv takes the Relu
//              directly behind it, and none behind a Transpose.
#include <algorithm>
#include <array>

#include "passes/node_pass.h"
#include "passes/passes.h"
#include "passes/support/match.h"
#include "passes/support/moves.h"
#include "passes/support/rewrite.h"

namespace preon {
namespace {

// Each element by itself; further inputs are bounds of one element.
bool IsElementwise(const Node& node) {
  constexpr std::array kTypes = {"Relu", "Clip", "LeakyRelu", "Sigmoid", "HardSigmoid", "HardSwish", "Tanh"};
  return std::ranges::any_of(kTypes, [&](const char* type) { return node.Is(type); });
}

// The node reads what the Transpose did; the Transpose writes what the node did.
Status MoveInFront(Graph& graph, Node& node, Node& transpose) {
  const std::string from = transpose.input(0), between = graph.UniqueTensorName(node.output() + "_before");
  const std::string output = node.output();
  const ValueInfo* info = graph.Info(from);
  const std::optional<ValueInfo> known = info == nullptr ? std::nullopt : std::optional(*info);
  graph.SetInput(&node, 0, from);
  graph.SetOutput(&node, 0, between);
  graph.SetInput(&transpose, 0, between);
  graph.SetOutput(&transpose, 0, output);
  if (known) graph.SetInfo(between, *known);
  return graph.SortTopologically();
}

class MergeTransposes final : public NodePass {
 public:
  MergeTransposes()
      : NodePass({.name = "merge_transposes",
                  .summary = "activation functions move before Transposes, and two Transposes become one or none",
                  .target_ops = {}}) {}

 private:
  Result<bool> Rewrite(Model& model, Node& node, const PassEnv&) const override {
    Graph& graph = model.graph;
    if (!node.Is("Transpose") && !IsElementwise(node)) return false;
    Node* inner = ProducerOf(graph, node.input(0), "Transpose");
    if (inner == nullptr) return false;
    const bool is_only_reader = OnlyReader(graph, node.input(0)) != nullptr;
    if (!node.Is("Transpose")) {
      if (!is_only_reader) return false;
      PREON_RETURN_IF_ERROR(MoveInFront(graph, node, *inner));
      return true;
    }
    const auto first = PermOf(graph, *inner), second = PermOf(graph, node);
    if (!first || !second || first->size() != second->size()) return false;
    std::vector<int64_t> both;
    for (const int64_t dim : *second) both.push_back((*first)[static_cast<size_t>(dim)]);
    const bool undo_each_other = std::ranges::is_sorted(both);
    if (!is_only_reader && !undo_each_other) return false;
    graph.SetInput(&node, 0, inner->input(0));
    node.attributes["perm"] = std::move(both);
    if (is_only_reader) {
      Absorb(node, *inner);
      graph.RemoveNode(inner);
    }
    return true;
  }
};

}  // namespace

std::unique_ptr<Pass> MakeMergeTransposesPass() { return std::make_unique<MergeTransposes>(); }

}  // namespace preon
