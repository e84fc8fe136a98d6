// fuse_l2_norm: division by the Euclidean norm, written out, becomes LpNormalization.
//
// Before:      y = u * Reciprocal(Sqrt(Max(ReduceSum(u * u), eps)))
// After:       y = LpNormalization(u) {p = 2, axis}
// Conditions:  ReduceSum over one constant axis, with keepdims; 0 <= eps <= 1e-6; nothing else reads what lies between.
//              The lower bound in any form: simplify_clip, which comes first, makes a Clip or Relu of the Max.
// Formula:     u / sqrt(max(sum u², eps)); eps is dropped
#include <cmath>

#include "passes/node_pass.h"
#include "passes/passes.h"
#include "passes/support/clamp.h"
#include "passes/support/match.h"
#include "passes/support/rewrite.h"

namespace preon {
namespace {

constexpr double kLargestEpsilon = 1e-6;

class FuseL2Norm final : public NodePass {
 public:
  FuseL2Norm()
      : NodePass({.name = "fuse_l2_norm",
                  .summary = "division by the Euclidean norm becomes LpNormalization",
                  .target_ops = {"Reciprocal"},
                  .aliases = {"FuseL2Norm"}}) {}

 private:
  Result<bool> Rewrite(Model& model, Node& node, const PassEnv&) const override {
    Graph& graph = model.graph;
    Node* product = OnlyReader(graph, node.output());
    Node* root = ProducerOf(graph, node.input(0), "Sqrt");
    Node* bound = root == nullptr ? nullptr : graph.Producer(root->input(0));
    if (product == nullptr || !product->Is("Mul") || bound == nullptr) return false;
    const std::optional<ClampBounds> bounds = MatchClamp(graph, *bound);
    if (!bounds || !std::isinf(bounds->high) || bounds->low < 0 || bounds->low > kLargestEpsilon) return false;
    Node* sum = ProducerOf(graph, bound->input(ClampedInput(graph, *bound)), "ReduceSum");
    Node* square = sum == nullptr ? nullptr : ProducerOf(graph, sum->input(0), "Mul");
    const std::string u = OtherInput(*product, node.output());
    const bool squares = square != nullptr && square->input(0) == square->input(1) && square->input(0) == u;
    if (!squares || u.empty()) return false;
    const auto axes = IntsOf(graph, *sum, 1, "axes");
    if (!axes || axes->size() != 1 || sum->Int("keepdims", 1) != 1) return false;
    Node* const nodes[] = {square, sum, bound, root, &node, product};
    if (!IsClosed(graph, nodes, product)) return false;
    const int64_t axis = axes->front();
    Become(graph, *product, "LpNormalization", {u}, {{"axis", axis}, {"p", int64_t{2}}});
    AbsorbAll(graph, nodes, *product);
    return true;
  }
};

}  // namespace

std::unique_ptr<Pass> MakeFuseL2NormPass() { return std::make_unique<FuseL2Norm>(); }

}  // namespace preon
