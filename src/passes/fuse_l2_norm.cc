// fuse_l2_norm: division by the Euclidean norm, written out, becomes LpNormalization.
//
// Before:      y = u * Reciprocal(Sqrt(Max(ReduceSum(u * u), eps)))
// After:       y = LpNormalization(u) {p = 2, axis}
// Conditions:  ReduceSum over one constant axis, with keepdims; 0 <= eps <= 1e-6; nothing else reads what lies between.
// Formula:     u / sqrt(max(sum u², eps)); eps is dropped
#include "passes/node_pass.h"
#include "passes/passes.h"
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
    Node* max = root == nullptr ? nullptr : ProducerOf(graph, root->input(0), "Max");
    if (product == nullptr || !product->Is("Mul") || max == nullptr || max->inputs().size() != 2) return false;
    const size_t data = Constant(graph, max->input(0)) != nullptr ? 1 : 0;
    const std::optional<float> epsilon = ConstantScalar(graph, max->input(1 - data));
    Node* sum = ProducerOf(graph, max->input(data), "ReduceSum");
    Node* square = sum == nullptr ? nullptr : ProducerOf(graph, sum->input(0), "Mul");
    const std::string u = OtherInput(*product, node.output());
    const bool squares = square != nullptr && square->input(0) == square->input(1) && square->input(0) == u;
    if (!squares || u.empty() || !epsilon || *epsilon < 0 || *epsilon > kLargestEpsilon) return false;
    const auto axes = IntsOf(graph, *sum, 1, "axes");
    if (!axes || axes->size() != 1 || sum->Int("keepdims", 1) != 1) return false;
    Node* const nodes[] = {square, sum, max, root, &node, product};
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
