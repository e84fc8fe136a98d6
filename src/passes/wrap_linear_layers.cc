// wrap_linear_layers: a linear layer of rank 3 or more becomes a Gemm between two Reshapes.
//
// Before:      y = Add(MatMul(x, W), b)                      x of rank 3 or more
// After:       t = Reshape(x, [-1, K]);  g = Gemm(t, W', b) {transB = 1};  y = Reshape(g, shape of y)
// Conditions:  W [K, N] and b [N]: float constants; MatMul is read by Add alone; the dimensions of y are known but for
//              one. Layers that read the same x share its Reshape.
// Formula:     W' = the transpose of W
// Why:         what the simplifier in Quark's preprocessing makes of it, under the same names: --compat quark. Two more
//              tensors have codes, so that no target has it by itself.
#include "passes/node_pass.h"
#include "passes/passes.h"
#include "passes/support/linear_layer.h"
#include "passes/support/match.h"
#include "passes/support/rewrite.h"

namespace preon {
namespace {

// x as rows, by a Reshape that another layer may have made.
std::string RowsOf(Graph& graph, const LinearLayer& layer, const WrappedNames& names) {
  const std::vector<int64_t> target = {-1, graph.Initializer(layer.weight)->shape()[0]};
  for (const Use& use : graph.Uses(layer.x)) {
    if (use.node->Is("Reshape") && use.input == 0 && ConstantInts(graph, use.node->input(1)) == target)
      return use.node->output();
  }
  return AddRows(graph, layer, names);
}

class WrapLinearLayers final : public NodePass {
 public:
  WrapLinearLayers()
      : NodePass({.name = "wrap_linear_layers",
                  .summary = "MatMul and Add of a bias, of rank 3 or more, become a Gemm between two Reshapes",
                  .target_ops = {"MatMul"},
                  .on_by_default = false,
                  .phase = PassPhase::kLast}) {}

 private:
  Result<bool> Rewrite(Model& model, Node& node, const PassEnv&) const override {
    Graph& graph = model.graph;
    const std::optional<LinearLayer> layer = MatchLinearLayer(graph, node);
    if (!layer) return false;
    const std::string product = node.output();
    const WrappedNames names{.reshape = product + "_pre_reshape",
                             .rows = product + "_pre_reshape_out",
                             .rows_target = product + "_pre_reshape_in",
                             .sums = product + "_gemm_out",
                             .y_target = product + "_post_reshape_in"};
    const std::string rows = RowsOf(graph, *layer, names), turned = graph.UniqueTensorName(product + "_weight");
    graph.SetInitializer(turned, TransposedMatrix(*graph.Initializer(layer->weight)));
    WrapLayer(graph, *layer, rows, turned, names, {{"transB", int64_t{1}}});
    PREON_RETURN_IF_ERROR(graph.SortTopologically());
    return true;
  }
};

}  // namespace

std::unique_ptr<Pass> MakeWrapLinearLayersPass() { return std::make_unique<WrapLinearLayers>(); }

}  // namespace preon
