// clamps_in_branches: in a branch of If, a Relu or Clip goes whose bounds the codes behind it keep by themselves.
//
// Before:      y = QuantizeLinear(Relu(x), s, z)
// After:       y = QuantizeLinear(x, s, z)
// Conditions:  inside a branch that lies open (docs/design/subgraphs.md); integer codes of one scale that reach no
//              further than the bounds; no other reader.
// Formula:     q(max(x, 0)) = max(q(x), z) = q(x) where z is the lowest code
// Why:         ONNX Runtime (1.30) removes these clamps by itself, but in a branch a product in front of one loses the
//              pair behind it: "Missing Input" when it runs. The values are the same.
#include <vector>

#include "ir/if_scopes.h"
#include "quantize/plan/op_traits.h"
#include "quantize/qdq_passes/code_groups.h"
#include "quantize/qdq_passes/qdq_passes.h"

namespace preon {
namespace {

bool CodesKeepBounds(const Graph& graph, const Node& node) {
  const std::optional<Range> bounds = ClampRange(graph, node);
  if (!bounds || OnlyQuantizer(graph, node.output()) == nullptr) return false;
  const std::optional<IntegerCodes> codes = IntegerCodesOf(graph, node.output());
  if (!codes) return false;
  const Range reached = RepresentableRange(codes->params, codes->format);
  return reached.min >= bounds->min && reached.max <= bounds->max;
}

class ClampsInBranches final : public QdqPass {
 public:
  std::string_view name() const override { return "clamps_in_branches"; }
  std::string_view summary() const override {
    return "in branches of If, Relu and Clip are removed where the codes after them have no values beyond the bounds";
  }
  bool WantedBy(const QuantPlan& plan) const override { return plan.compat != Compat::kQuark; }

  Result<Effect> Apply(Model& model, const QuantPlan&, std::vector<std::string>&) const override {
    Graph& graph = model.graph;
    const auto is_open_if = [](const auto& node) { return node->IsFlatIf(); };
    if (std::ranges::none_of(graph.nodes(), is_open_if)) return Effect::kUnchanged;
    PREON_RETURN_IF_ERROR(graph.SortTopologically());
    const IfScopes scopes(graph);
    std::vector<Node*> clamps;
    for (const auto& node : graph.nodes()) {
      if (scopes.ScopeOf(*node) != IfScopes::kOutside && CodesKeepBounds(graph, *node)) clamps.push_back(node.get());
    }
    for (Node* clamp : clamps) {
      graph.ReplaceUses(clamp->output(), clamp->input(0));
      graph.RemoveNode(clamp);
    }
    return clamps.empty() ? Effect::kUnchanged : Effect::kChanged;
  }
};

}  // namespace

std::unique_ptr<QdqPass> MakeClampsInBranchesPass() { return std::make_unique<ClampsInBranches>(); }

}  // namespace preon
