// lower_batch_norm: a BatchNormalization whose result a convolution reads becomes a depthwise 1x1 convolution.
//
// Before:      y = Conv(Relu(BatchNormalization(x, …)), W)
// After:       y = Conv(Relu(Conv(x, V, b) {group = C}), W)
// Conditions:  those of convert_batch_norm; a Conv with a constant weight reads the result, directly or behind one Relu
//              or Clip. Elsewhere the float operator is faster.
// Formula:     that of convert_batch_norm
// Why:         docs/design/passes.md, "Decisions".
#include <algorithm>

#include "passes/node_pass.h"
#include "passes/passes.h"
#include "passes/support/batch_norm.h"
#include "passes/support/clamp.h"

namespace preon {
namespace {

bool IsConvData(const Graph& graph, const Use& use) {
  return use.node->Is("Conv") && use.input == 0 && graph.Initializer(use.node->input(1)) != nullptr;
}

bool IsReluOrClip(const Node& node) { return node.Is("Relu") || node.Is("Clip"); }

// A convolution with constant weight reads the tensor, directly or behind one Relu/Clip.
bool FeedsConv(const Graph& graph, const std::string& tensor) {
  const std::vector<Use> uses = graph.Uses(tensor);
  return std::any_of(uses.begin(), uses.end(), [&](const Use& use) {
    if (use.captured) return false;
    if (IsConvData(graph, use)) return true;
    if (!IsReluOrClip(*use.node) || !MatchClamp(graph, *use.node)) return false;
    const std::vector<Use> behind = graph.Uses(use.node->output());
    return std::any_of(behind.begin(), behind.end(), [&](const Use& next) { return IsConvData(graph, next); });
  });
}

class LowerBatchNorm final : public NodePass {
 public:
  LowerBatchNorm()
      : NodePass({.name = "lower_batch_norm",
                  .summary = "BatchNormalization in front of Conv becomes a depthwise 1x1 Conv",
                  .target_ops = {"BatchNormalization"},
                  .on_by_default = false,
                  .phase = PassPhase::kLast}) {}

 private:
  Result<bool> Rewrite(Model& model, Node& node, const PassEnv&) const override {
    return FeedsConv(model.graph, node.output()) && BatchNormToConv(model.graph, node);
  }
};

}  // namespace

std::unique_ptr<Pass> MakeLowerBatchNormPass() { return std::make_unique<LowerBatchNorm>(); }

}  // namespace preon
