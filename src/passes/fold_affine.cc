// fold_affine: arithmetic with per-channel constants behind linear operators goes into their weights.
//
// Before:      y = t + c | t - c | c - t | t * c | t / c,  t = Conv | ConvTranspose | Gemm (x, W, b)
// After:       y = Conv | ConvTranspose | Gemm (x, W', b')
// Conditions:  c is a float constant that broadcasts over t along channels only ([C, 1, 1], [1, C, 1, 1], for Gemm [N],
//              or one element); no division by 0; W constant, b constant or absent; t is read here alone and is no
//              graph output. MatMul + Add stays: targets quantize it as one unit.
// Formula:     with y = s[c] * t + d[c]:  W'[c] = s[c] * W[c];  b'[c] = s[c] * b[c] + d[c]
#include <algorithm>

#include "passes/node_pass.h"
#include "passes/passes.h"
#include "passes/support/linear_op.h"
#include "passes/support/match.h"
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

class FoldAffinePass final : public NodePass {
 public:
  FoldAffinePass()
      : NodePass(
            {.name = "fold_affine",
             .summary = "folds per-channel Add, Sub, Mul, Div after Conv, ConvTranspose or Gemm into weight and bias",
             .target_ops = {"Add", "Sub", "Mul", "Div"}}) {}

 private:
  Result<bool> Rewrite(Model& model, Node& node, const PassEnv&) const override {
    Graph& graph = model.graph;
    for (size_t data = 0; data < 2; ++data) {
      const std::optional<LinearOp> linear = MatchLinearBehind(graph, node.input(data));
      if (!linear.has_value()) continue;
      const std::optional<std::vector<double>> constant =
          ConstantPerChannel(graph, node.input(1 - data), linear->output_rank, 1, linear->channels);
      if (!constant.has_value()) continue;
      const std::optional<ChannelAffine> affine = AffineOf(node, data, *constant);
      if (!affine.has_value()) continue;
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
