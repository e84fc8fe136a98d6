// convert_batch_norm: stand-alone BatchNormalization becomes a depthwise 1x1 convolution.
//
// Before:      y = BatchNormalization(x, gamma, beta, mean, var)        (pre-activation networks: BN -> Relu -> Conv)
// After:       y = Conv(x, W, b) {group = C, kernel_shape = 1…}          W: [C, 1, 1…], b: [C]
// Conditions:  inference mode, constant float parameters, rank of x known and 3 to 5.
// Formula:     W[c] = gamma / sqrt(var + epsilon);  b[c] = beta[c] - mean[c] * W[c]
// Why:         runtimes have no integer BatchNormalization. One weight per channel with its own scale is exact in int8
//              (its code is always 127), so only the input's rounding is lost, and Relu folds into the clamp.
#include "passes/node_pass.h"
#include "passes/passes.h"
#include "passes/support/batch_norm.h"

namespace preon {
namespace {

class ConvertBatchNorm final : public NodePass {
 public:
  ConvertBatchNorm()
      : NodePass({.name = "convert_batch_norm",
                  .summary = "BatchNormalization that can't be folded becomes a depthwise 1x1 Conv",
                  .target_ops = {"BatchNormalization"},
                  .aliases = {"ConvertBNToConv"},
                  .on_by_default = false}) {}

 private:
  Result<bool> Rewrite(Model& model, Node& node, const PassEnv& env) const override {
    return BatchNormToConv(model.graph, node, env.arithmetic);
  }
};

}  // namespace

std::unique_ptr<Pass> MakeConvertBatchNormPass() { return std::make_unique<ConvertBatchNorm>(); }

}  // namespace preon
