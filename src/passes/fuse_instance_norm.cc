// fuse_instance_norm: the pieces of an instance normalization become one operator.
//
// Before:      m = GlobalAveragePool(x); d = x - m; v = GlobalAveragePool(d * d)
//              k = Reciprocal(Sqrt(v + eps)) * gamma; y = x * k + (beta - m * k)
// After:       y = InstanceNormalization(x, gamma, beta) {epsilon = eps}
// Conditions:  gamma, beta: constants of shape [1, C, 1, 1]; eps: constant scalar; nothing else reads what lies
// between. Formula:     -
#include "passes/node_pass.h"
#include "passes/passes.h"
#include "passes/support/match.h"
#include "passes/support/rewrite.h"

namespace preon {
namespace {

class FuseInstanceNorm final : public NodePass {
 public:
  FuseInstanceNorm()
      : NodePass({.name = "fuse_instance_norm",
                  .summary = "instance normalization written as several nodes becomes one",
                  .target_ops = {"Reciprocal"},
                  .aliases = {"FuseInstanceNorm"}}) {}

 private:
  // [1, C, 1, 1] as [C]; null for other constants.
  static std::optional<Tensor> PerChannel(const Graph& graph, const std::string& tensor) {
    const Tensor* value = Constant(graph, tensor);
    if (value == nullptr || value->type() != DataType::kFloat || value->shape().size() != 4) return std::nullopt;
    if (value->shape() != Shape{1, value->count(), 1, 1}) return std::nullopt;
    return value->Reshaped({value->count()});
  }

  Result<bool> Rewrite(Model& model, Node& node, const PassEnv&) const override {
    Graph& graph = model.graph;
    Node* root = ProducerOf(graph, node.input(0), "Sqrt");
    Node* sum = root == nullptr ? nullptr : ProducerOf(graph, root->input(0), "Add");
    if (sum == nullptr) return false;
    const size_t data = Constant(graph, sum->input(0)) != nullptr ? 1 : 0;
    const std::optional<float> epsilon = ConstantScalar(graph, sum->input(1 - data));
    Node* variance = ProducerOf(graph, sum->input(data), "GlobalAveragePool");
    Node* square = variance == nullptr ? nullptr : ProducerOf(graph, variance->input(0), "Mul");
    Node* difference = square == nullptr || square->input(0) != square->input(1)
                           ? nullptr
                           : ProducerOf(graph, square->input(0), "Sub");
    Node* mean = difference == nullptr ? nullptr : ProducerOf(graph, difference->input(1), "GlobalAveragePool");
    if (mean == nullptr || mean->input(0) != difference->input(0) || !epsilon) return false;
    const std::string x = mean->input(0);

    Node* factor = OnlyReader(graph, node.output());
    if (factor == nullptr || !factor->Is("Mul")) return false;
    const std::string gamma = OtherInput(*factor, node.output());
    Node* scaled = nullptr;  // x * k
    Node* shift = nullptr;   // m * k
    for (const Use& use : graph.Uses(factor->output())) {
      if (use.captured || !use.node->Is("Mul")) return false;
      const std::string other = OtherInput(*use.node, factor->output());
      if (other == x) scaled = use.node;
      if (other == mean->output()) shift = use.node;
    }
    if (scaled == nullptr || shift == nullptr) return false;
    Node* rest = OnlyReader(graph, shift->output());  // beta - m * k
    Node* last = OnlyReader(graph, scaled->output());
    if (rest == nullptr || !rest->Is("Sub") || rest->input(1) != shift->output()) return false;
    if (last == nullptr || !last->Is("Add") || OtherInput(*last, scaled->output()) != rest->output()) return false;
    const std::optional<Tensor> scale = PerChannel(graph, gamma), bias = PerChannel(graph, rest->input(0));
    Node* const nodes[] = {mean, difference, square, variance, sum, root, &node, factor, scaled, shift, rest, last};
    if (!scale || !bias || !IsClosed(graph, nodes, last)) return false;
    const std::string beta = rest->input(0);
    Become(graph, *last, "InstanceNormalization", {x, gamma, beta}, {{"epsilon", *epsilon}});
    AbsorbAll(graph, nodes, *last);
    SetConstantInput(graph, *last, 1, *scale, gamma + "_channels");
    SetConstantInput(graph, *last, 2, *bias, beta + "_channels");
    return true;
  }
};

}  // namespace

std::unique_ptr<Pass> MakeFuseInstanceNormPass() { return std::make_unique<FuseInstanceNorm>(); }

}  // namespace preon
