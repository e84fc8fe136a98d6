// lower_linear_layers: a linear layer written MatMul + Add gets the form whose bias runs in integers.
//
// Before:      y = Add(MatMul(x, W), b)
// After:       y = Gemm(x, W, b)                      x of rank 2
//              y = Add(MatMul(x, W), b [1, 1, N])     x of higher rank
// Conditions:  W: a constant float matrix; b: a float constant with one value per column, or one for all; MatMul is
//              read by Add alone; the rank of x is known.
// Formula:     -
// Why:         the integer Gemm takes the bias. For higher ranks the runtime would turn the pair into a float Gemm
//              before it looks for integer kernels; a bias of rank 3 keeps it from that (2.4 times faster,
//              docs/design/placement.md).
#include "ir/constant_value.h"
#include "passes/node_pass.h"
#include "passes/passes.h"
#include "passes/support/rewrite.h"

namespace preon {
namespace {

// Elements of a bias that adds one value per column: [N], [1, N], [1, 1, N]… or a single value; 0 if it is none.
int64_t BiasLength(const Tensor& bias, int64_t columns) {
  const int64_t count = bias.count();
  const Shape& shape = bias.shape();
  const bool last_axis_only = shape.empty() || shape.back() == count;
  return last_axis_only && (count == columns || count == 1) ? count : 0;
}

void ReplaceByGemm(Graph& graph, Node* matmul, Node* add, const std::string& bias) {
  const Tensor flat = graph.Initializer(bias)->Reshaped({graph.Initializer(bias)->count()});
  std::string bias_name = bias;
  if (graph.UseCount(bias) > 1) bias_name = graph.UniqueTensorName(bias + "_column");
  graph.SetInitializer(bias_name, flat);
  const std::string output = add->output();
  Node* gemm = graph.AddNode("Gemm", {matmul->input(0), matmul->input(1), bias_name},
                             {graph.UniqueTensorName(output + "_gemm")}, matmul->name + "_gemm", "", matmul);
  gemm->origins = matmul->origins;
  Absorb(*gemm, *add);
  graph.SetOutput(add, 0, graph.UniqueTensorName(output + "_unused"));
  graph.SetOutput(gemm, 0, output);
  graph.RemoveNode(add);
  graph.RemoveNode(matmul);
}

bool LowerLinear(Graph& graph, Node* matmul) {
  const std::string& product = matmul->output();
  const Tensor* weight = graph.Initializer(matmul->input(1));
  const std::optional<Shape> data = graph.ShapeOf(matmul->input(0));
  if (weight == nullptr || weight->type() != DataType::kFloat || weight->shape().size() != 2 || !data) return false;
  if (graph.UseCount(product) != 1 || graph.IsOutput(product) || graph.HasCapturedUse(product)) return false;
  const Use reader = graph.Uses(product)[0];
  if (!reader.node->Is("Add")) return false;
  const std::string bias = reader.node->input(1 - reader.input);
  if (!IsFloatConstant(graph, bias)) return false;
  const int64_t length = BiasLength(*graph.Initializer(bias), weight->shape()[1]);
  if (length == 0 || graph.Initializer(bias)->shape().size() > data->size()) return false;

  if (data->size() == 2) {
    ReplaceByGemm(graph, matmul, reader.node, bias);
    return true;
  }
  if (data->size() > 2 && graph.Initializer(bias)->shape().size() < 3) {
    const std::string wide = graph.UniqueTensorName(bias + "_wide");
    graph.SetInitializer(wide, graph.Initializer(bias)->Reshaped({1, 1, length}));
    graph.SetInput(reader.node, 1 - reader.input, wide);
    return true;
  }
  return false;
}

class LowerLinearLayers final : public NodePass {
 public:
  LowerLinearLayers()
      : NodePass({.name = "lower_linear_layers",
                  .summary = "MatMul and Add of a bias become Gemm, or the bias gets rank 3",
                  .target_ops = {"MatMul"},
                  .on_by_default = false,
                  .phase = PassPhase::kLast}) {}

 private:
  Result<bool> Rewrite(Model& model, Node& node, const PassEnv&) const override {
    return LowerLinear(model.graph, &node);
  }
};

}  // namespace

std::unique_ptr<Pass> MakeLowerLinearLayersPass() { return std::make_unique<LowerLinearLayers>(); }

}  // namespace preon
