// fold_gemm_scalars: alpha and beta of a Gemm go into its constants.
//
// Before:      y = Gemm(x, W, b) {alpha, beta}
// After:       y = Gemm(x, W', b')
// Conditions:  W, b: float constants, each on its own: a computed one keeps its scalar. Constants that others read too
//              are copied first. A beta without b goes.
// Formula:     W' = alpha * W;  b' = beta * b
// Why:         the runtime has no integer Gemm with scalars.
#include <algorithm>

#include "ir/constant_value.h"
#include "passes/node_pass.h"
#include "passes/passes.h"

namespace preon {
namespace {

Tensor Scaled(const Tensor& values, float factor) {
  Tensor scaled = Tensor::Allocate(DataType::kFloat, values.shape());
  std::transform(values.floats().begin(), values.floats().end(), scaled.Mutable<float>().begin(),
                 [factor](float value) { return value * factor; });
  return scaled;
}

// Multiplies a constant operand; a constant with other readers is copied first.
void ScaleOperand(Graph& graph, Node* node, size_t index, float factor) {
  const std::string& name = node->input(index);
  Tensor scaled = Scaled(*graph.Initializer(name), factor);
  const std::string target = graph.UseCount(name) == 1 ? name : graph.UniqueTensorName(name + "_scaled");
  graph.SetInitializer(target, std::move(scaled));
  graph.SetInput(node, index, target);
}

class FoldGemmScalars final : public NodePass {
 public:
  FoldGemmScalars()
      : NodePass({.name = "fold_gemm_scalars",
                  .summary = "folds alpha and beta of Gemm into its constants",
                  .target_ops = {"Gemm"},
                  .on_by_default = false,
                  .phase = PassPhase::kLast,
                  .works_in_bodies = true}) {}

 private:
  Result<bool> Rewrite(Model& model, Node& node, const PassEnv&) const override {
    Graph& graph = model.graph;
    const bool folds_alpha = node.Float("alpha", 1) != 1 && IsFloatConstant(graph, node.input(1));
    const bool has_bias = !node.input(2).empty(),
               folds_beta = node.Float("beta", 1) != 1 && has_bias && IsFloatConstant(graph, node.input(2));
    if (folds_alpha) ScaleOperand(graph, &node, 1, node.Float("alpha", 1));
    if (folds_beta) ScaleOperand(graph, &node, 2, node.Float("beta", 1));
    const bool alpha_gone = folds_alpha && node.attributes.erase("alpha") > 0;
    const bool beta_gone = (folds_beta || !has_bias) && node.attributes.erase("beta") > 0;
    return alpha_gone || beta_gone;
  }
};

}  // namespace

std::unique_ptr<Pass> MakeFoldGemmScalarsPass() { return std::make_unique<FoldGemmScalars>(); }

}  // namespace preon
