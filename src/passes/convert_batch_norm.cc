// convert_batch_norm: stand-alone BatchNormalization becomes a depthwise 1x1 convolution.
//
// Before:      y = BatchNormalization(x, gamma, beta, mean, var)        (pre-activation networks: BN -> Relu -> Conv)
// After:       y = Conv(x, W, b) {group = C, kernel_shape = 1…}          W: [C, 1, 1…], b: [C]
// Conditions:  inference mode, constant float parameters, rank of x known and 3 to 5.
// Formula:     W[c] = gamma / sqrt(var + epsilon);  b[c] = beta[c] - mean[c] * W[c]
// Why:         runtimes have no integer BatchNormalization. One weight per channel with its own scale is exact in int8
//              (its code is always 127), so only the input's rounding is lost, and Relu folds into the clamp.
#include "passes/convert_batch_norm.h"

#include "passes/batch_norm.h"
#include "passes/node_pass.h"
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace preon {
namespace {

class ConvertBatchNorm final : public NodePass {
 public:
  explicit ConvertBatchNorm(std::function<bool(const Graph&, const Node&)> wanted = {})
      : NodePass({.name = "convert_batch_norm",
                  .summary = "BatchNormalization that nothing absorbs becomes a depthwise 1x1 Conv",
                  .target_ops = {"BatchNormalization"},
                  .aliases = {"ConvertBNToConv"},
                  .on_by_default = false}),
        wanted_(std::move(wanted)) {}

 private:
  Result<bool> Rewrite(Model& model, Node& node, const PassEnv&) const override {
    Graph& graph = model.graph;
    if (wanted_ && !wanted_(graph, node)) return false;
    const std::optional<ChannelAffine> affine = MatchBatchNorm(graph, node);
    const std::optional<Shape> shape = graph.ShapeOf(node.input(0));
    if (!affine.has_value() || !shape.has_value() || shape->size() < 3 || shape->size() > 5) return false;

    const int64_t channels = static_cast<int64_t>(affine->scale.size());
    Shape weight_shape(shape->size(), 1);
    weight_shape[0] = channels;
    const std::vector<float> weight(affine->scale.begin(), affine->scale.end());
    const std::vector<float> bias(affine->shift.begin(), affine->shift.end());
    Become(graph, node, "Conv", {node.input(0)},
           {{"group", channels}, {"kernel_shape", std::vector<int64_t>(shape->size() - 2, 1)}});
    SetConstantInput(graph, node, 1, Tensor::FromFloats(weight_shape, weight), node.name + "_weight");
    SetConstantInput(graph, node, 2, Tensor::FromFloats({channels}, bias), node.name + "_bias");
    return true;
  }

  std::function<bool(const Graph&, const Node&)> wanted_;
};

}  // namespace

std::unique_ptr<Pass> MakeConvertBatchNormPass() { return std::make_unique<ConvertBatchNorm>(); }

Effect ConvertBatchNormToConv(Model& model, std::function<bool(const Graph&, const Node&)> wanted) {
  return ConvertBatchNorm(std::move(wanted)).Apply(model, {}).value();
}

}  // namespace preon
