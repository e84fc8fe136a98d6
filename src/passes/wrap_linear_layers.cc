// wrap_linear_layers: a linear layer of rank 3 or more becomes a Gemm between two Reshapes.
//
// Before:      y = Add(MatMul(x, W), b)                      x of rank 3 or more
// After:       t = Reshape(x, [-1, K]);  g = Gemm(t, W', b) {transB = 1};  y = Reshape(g, shape of y)
// Conditions:  W [K, N] and b [N]: float constants; MatMul is read by Add alone; the dimensions of y are known but for
//              one. Layers that read the same x share its Reshape; a Reshape behind y takes the place of the second.
// Formula:     W' = the transpose of W
// Why:         what Quark's preprocessing makes of it, under the same names: --compat quark. Two more tensors have
//              codes, so that no target has it by itself.
#include <algorithm>

#include "passes/node_pass.h"
#include "passes/passes.h"
#include "passes/support/match.h"
#include "passes/support/rewrite.h"

namespace preon {
namespace {

struct Bias {
  Node* add;
  std::string values;
};

std::optional<Bias> BiasOf(const Graph& graph, const Node& matmul) {
  const std::optional<Shape> x = graph.ShapeOf(matmul.input(0));
  Node* add = OnlyReader(graph, matmul.output());
  if (!x || x->size() < 3 || !IsFloatConstant(graph, matmul.input(1)) || add == nullptr || !add->Is("Add"))
    return std::nullopt;
  const Shape& weight = graph.Initializer(matmul.input(1))->shape();
  const std::string bias = OtherInput(*add, matmul.output());
  if (weight.size() != 2 || !IsFloatConstant(graph, bias) || graph.Initializer(bias)->shape() != Shape{weight[1]})
    return std::nullopt;
  return Bias{add, bias};
}

// The target of a Reshape to the shape of `tensor`, which has one dimension at most that is not known.
std::optional<std::vector<int64_t>> TargetOf(const Graph& graph, const std::string& tensor) {
  const std::optional<Shape> shape = graph.ShapeOf(tensor);
  if (!shape || std::ranges::count(*shape, kDynamicDim) > 1 || std::ranges::find(*shape, 0) != shape->end())
    return std::nullopt;
  std::vector<int64_t> target(shape->begin(), shape->end());
  std::ranges::replace(target, kDynamicDim, int64_t{-1});
  return target;
}

void SetMatrix(Graph& graph, const std::string& tensor, int64_t columns) {
  graph.SetInfo(tensor, {.type = DataType::kFloat, .shape = Shape{kDynamicDim, columns}});
}

// x as rows, by a Reshape that another layer may have made.
std::string RowsOf(Graph& graph, const Node& matmul, int64_t columns) {
  const std::string &x = matmul.input(0), &product = matmul.output();
  const std::vector<int64_t> target = {-1, columns};
  for (const Use& use : graph.Uses(x)) {
    if (use.node->Is("Reshape") && use.input == 0 && ConstantInts(graph, use.node->input(1)) == target)
      return use.node->output();
  }
  const std::string rows = graph.UniqueTensorName(product + "_pre_reshape_out");
  const std::string constant = AddIntsConstant(graph, product + "_pre_reshape_in", target);
  graph.AddNode("Reshape", {x, constant}, {rows}, product + "_pre_reshape", "", &matmul);
  SetMatrix(graph, rows, columns);
  return rows;
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
    const std::optional<Bias> bias = BiasOf(graph, node);
    if (!bias) return false;
    Node* behind = OnlyReader(graph, bias->add->output());
    const bool merges = behind != nullptr && behind->Is("Reshape") && TargetOf(graph, behind->output());
    const auto target = TargetOf(graph, merges ? behind->output() : bias->add->output());
    if (!target) return false;

    const Tensor weight = *graph.Initializer(node.input(1));
    const std::string product = node.output(), rows = RowsOf(graph, node, weight.shape()[0]);
    const std::string turned = graph.UniqueTensorName(product + "_weight");
    graph.SetInitializer(turned, TransposedMatrix(weight));
    const std::string sums = graph.UniqueTensorName(product + "_gemm_out");
    const std::string shape = AddIntsConstant(graph, product + "_post_reshape_in", *target);
    if (merges) {
      graph.SetInputs(behind, {sums, shape});
      behind->attributes.clear();
      Absorb(node, *bias->add);
      graph.RemoveNode(bias->add);
    } else {
      Absorb(node, *bias->add);
      Become(graph, *bias->add, "Reshape", {sums, shape}, {});
    }
    graph.SetOutput(&node, 0, sums);
    Become(graph, node, "Gemm", {rows, turned, bias->values}, {{"transB", int64_t{1}}});
    SetMatrix(graph, sums, weight.shape()[1]);
    PREON_RETURN_IF_ERROR(graph.SortTopologically());
    return true;
  }
};

}  // namespace

std::unique_ptr<Pass> MakeWrapLinearLayersPass() { return std::make_unique<WrapLinearLayers>(); }

}  // namespace preon
