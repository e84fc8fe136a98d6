#include <algorithm>

#include "passes/clamp.h"
#include "passes/convert_batch_norm.h"
#include "passes/prepare.h"

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

}  // namespace

void LowerBatchNorm(Model& model) {
  ConvertBatchNormToConv(model, [](const Graph& graph, const Node& node) { return FeedsConv(graph, node.output()); });
}

}  // namespace preon
