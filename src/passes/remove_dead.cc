// remove_dead: removes nodes and initializers that no output needs.
//
// Before:      t = Op(x), nobody reads t
// After:       -
// Conditions:  no output of the node is read, captured by a sub-graph or a graph output.
#include <algorithm>

#include "passes/passes.h"

namespace preon {
namespace {

class RemoveDead final : public Pass {
 public:
  std::string_view name() const override { return "remove_dead"; }
  std::string_view summary() const override { return "removes nodes and initializers that no output needs"; }

  Result<Effect> Apply(Model& model, const PassEnv&) const override {
    Graph& graph = model.graph;
    bool changed = false;
    for (size_t end = graph.nodes().size(); end > 0; --end) {  // readers before producers: one sweep is enough
      Node* node = graph.nodes()[end - 1].get();
      const bool used = std::any_of(node->outputs().begin(), node->outputs().end(), [&](const std::string& tensor) {
        return !tensor.empty() && graph.UseCount(tensor) > 0;
      });
      if (used) continue;
      graph.RemoveNode(node);
      changed = true;
    }
    if (graph.RemoveUnusedInitializers() > 0) changed = true;
    return changed ? Effect::kChanged : Effect::kUnchanged;
  }
};

}  // namespace

std::unique_ptr<Pass> MakeRemoveDeadPass() { return std::make_unique<RemoveDead>(); }

}  // namespace preon
