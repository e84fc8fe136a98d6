// wrap_layers_as_runtime: a linear layer of rank 3 or more becomes a Gemm between two Reshapes.
//
// Before:      y = Add(MatMul(x, W), b)                      x of rank 3 or more
// After:       t = Reshape(x, [-1, K]);  g = Gemm(t, W, b);  y = Reshape(g, shape of y)
// Conditions:  those of wrap_linear_layers, but that each layer has a Reshape of its own
// Formula:     -
// Why:         what the runtime's optimizer makes of it, under the same names, where Quark's preprocessing runs without
//              its simplifier: --compat quark with SimplifyModel=false.
#include <algorithm>
#include <map>
#include <set>

#include "base/str_cat.h"
#include "passes/passes.h"
#include "passes/support/linear_layer.h"

namespace preon {
namespace {

constexpr int kNamesPerLayer = 6;  // that the runtime gives; of them …
constexpr int kRows = 1, kSums = 4;

// The order in which the runtime's optimizer sees nodes: from the last ones up, of a node's producers the later first,
// each behind its producers (onnxruntime/core/graph/graph_viewer.cc).
std::vector<Node*> InRuntimeOrder(const Graph& graph) {
  std::map<const Node*, size_t> place;
  std::vector<std::pair<Node*, bool>> stack;  // and whether its producers are in the order
  for (const auto& node : graph.nodes()) {
    place.emplace(node.get(), place.size());
    const bool read =
        std::ranges::any_of(node->outputs(), [&](const std::string& output) { return !graph.Uses(output).empty(); });
    if (!read) stack.emplace_back(node.get(), false);
  }
  std::set<const Node*> seen;
  std::vector<Node*> order;
  while (!stack.empty()) {
    const auto [node, left] = stack.back();
    stack.pop_back();
    if (left) order.push_back(node);
    if (left || !seen.insert(node).second) continue;
    stack.emplace_back(node, true);
    std::vector<Node*> producers;
    for (const std::string& input : node->inputs()) {
      if (Node* producer = graph.Producer(input); producer != nullptr) producers.push_back(producer);
    }
    std::ranges::sort(producers, {}, [&](const Node* producer) { return place.at(producer); });
    for (Node* producer : producers) stack.emplace_back(producer, false);
  }
  return order;
}

// The runtime numbers the names that it has given before.
std::string Numbered(std::string_view name, int layer, int which) {
  return layer == 0 ? std::string(name) : StrCat(name, "_token_", kNamesPerLayer * (layer - 1) + which);
}

class WrapLayersAsRuntime final : public Pass {
 public:
  std::string_view name() const override { return "wrap_layers_as_runtime"; }
  std::string_view summary() const override {
    return "the same as wrap_linear_layers, but with weights as they are and the names of the runtime's optimizer";
  }
  bool on_by_default() const override { return false; }
  PassPhase phase() const override { return PassPhase::kLast; }

  Result<Effect> Apply(Model& model, const PassEnv&) const override {
    Graph& graph = model.graph;
    int layers = 0;
    for (Node* node : InRuntimeOrder(graph)) {
      const std::optional<LinearLayer> layer = node->Is("MatMul") ? MatchLinearLayer(graph, *node) : std::nullopt;
      if (!layer) continue;
      const std::string rows = Numbered("gemm_input_reshape_arg", layers, kRows);
      const std::string sums = Numbered("gemm_output_reshape_arg", layers, kSums);
      const WrappedNames names{.reshape = rows + "_node",
                               .rows = rows,
                               .rows_target = rows + "_shape",
                               .sums = sums,
                               .y_target = sums + "_shape"};
      WrapLayer(graph, *layer, AddRows(graph, *layer, names), layer->weight, names, {});
      ++layers;
    }
    if (layers == 0) return Effect::kUnchanged;
    PREON_RETURN_IF_ERROR(graph.SortTopologically());
    return Effect::kChanged;
  }
};

}  // namespace

std::unique_ptr<Pass> MakeWrapLayersAsRuntimePass() { return std::make_unique<WrapLayersAsRuntime>(); }

}  // namespace preon
