// fold_affine: arithmetic with per-channel constants behind linear operators goes into their weights.
//
// Before:      y = t + c | t - c | c - t | t * c | t / c,  t = M(L(x, W, b))
//              L = Conv | ConvTranspose | Gemm | MatMul | MatMul and Add of a bias
//              M = any number of Transpose, Reshape, Flatten, Squeeze, Unsqueeze, Pad, or none
// After:       y = M(L(x, W', b'))
// Conditions:  c is a float constant that broadcasts over t along channels only (behind a Conv [C, 1, 1], [1, C, 1, 1],
//              behind its Transpose to NHWC [C]; or one element); no division by 0; W constant, b constant or absent;
//              each tensor from L to t is read once and is no graph output; behind a Pad with zeros nothing is added.
//              MatMul + Add stays: targets quantize it as one unit.
// Formula:     with y = s[c] * t + d[c]:  W'[c] = s[c] * W[c];  b'[c] = s[c] * b[c] + d[c]
#include <algorithm>

#include "passes/node_pass.h"
#include "passes/passes.h"
#include "passes/support/linear_op.h"
#include "passes/support/rewrite.h"

namespace preon {
namespace {

// What `node` does to its operand `data`, the other being `constant`.
std::optional<ChannelAffine> AffineOf(const Node& node, size_t data, const std::vector<double>& constant) {
  ChannelAffine affine{.scale = std::vector<double>(constant.size(), 1.0),
                       .shift = std::vector<double>(constant.size(), 0.0)};
  if (node.Is("Mul")) {
    affine.scale = constant;
  } else if (node.Is("Div")) {
    if (data != 0 || std::find(constant.begin(), constant.end(), 0.0) != constant.end()) return std::nullopt;
    std::transform(constant.begin(), constant.end(), affine.scale.begin(), [](double c) { return 1.0 / c; });
  } else {
    affine.shift = constant;
    if (node.Is("Sub")) {
      std::vector<double>& negated = data == 0 ? affine.shift : affine.scale;
      std::transform(negated.begin(), negated.end(), negated.begin(), [](double c) { return -c; });
    }
  }
  return affine;
}

bool IsZero(std::span<const double> values) {
  return std::ranges::all_of(values, [](double value) { return value == 0; });
}

// MatMul + Add, the form that a shift behind a MatMul gets.
bool IsBiasOfMatMul(const Graph& graph, const Node& node, size_t data, const LinearOp& linear) {
  return node.Is("Add") && linear.bias_node == nullptr && graph.Producer(node.input(data)) == linear.node;
}

class FoldAffinePass final : public NodePass {
 public:
  FoldAffinePass()
      : NodePass({.name = "fold_affine",
                  .summary = "folds per-channel Add, Sub, Mul, Div after Conv, Gemm or MatMul into weight and bias",
                  .target_ops = {"Add", "Sub", "Mul", "Div"}}) {}

 private:
  Result<bool> Rewrite(Model& model, Node& node, const PassEnv&) const override {
    Graph& graph = model.graph;
    for (size_t data = 0; data < 2; ++data) {
      const std::optional<LinearOp> linear = MatchLinearBehind(graph, node.input(data));
      if (!linear || IsBiasOfMatMul(graph, node, data, *linear)) continue;
      const std::optional<std::vector<double>> constant = PerChannel(graph, node.input(1 - data), *linear);
      if (!constant) continue;
      const std::optional<ChannelAffine> affine = AffineOf(node, data, *constant);
      if (!affine || (linear->adds_zeros && !IsZero(affine->shift))) continue;
      Absorb(*linear->node, node);
      FoldAffine(graph, *linear, *affine);
      MergeIntoProducer(graph, node, data);
      return true;
    }
    return false;
  }
};

}  // namespace

std::unique_ptr<Pass> MakeFoldAffinePass() { return std::make_unique<FoldAffinePass>(); }

}  // namespace preon
