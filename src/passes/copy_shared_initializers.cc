// copy_shared_initializers: each use of a constant but the first gets a copy, so that it can have codes of its own.
//
// Before:      MatMul(x, w), MatMul(y, w), Add(z, w)
// After:       MatMul(x, w), MatMul(y, duplicatedw2), Add(z, duplicatedw3)
// Conditions:  uses by nodes of PassEnv::copied_types (none: all); other nodes, sub-graphs and graph outputs keep the
//              original.
// Formula:     -
// Why:         Quark's CopySharedInit. In the last phase, since deduplicate would merge the copies.
#include <algorithm>

#include "base/text.h"
#include "passes/passes.h"
#include "passes/support/match.h"

namespace preon {
namespace {

bool CopySharedInitializers(Graph& graph, const std::vector<std::string>& op_types, bool biases_alone) {
  bool changed = false;
  const auto wanted = [&](const Node& node) {
    return op_types.empty() || std::ranges::find(op_types, node.op_type) != op_types.end();
  };
  std::vector<std::string> constants;
  for (const auto& [name, value] : graph.initializers()) {
    if (Constant(graph, name) != nullptr) constants.push_back(name);
  }
  for (const std::string& name : constants) {
    const Tensor value = *graph.Initializer(name);  // a copy: new initializers may move the old ones
    const std::vector<Use> uses = graph.Uses(name);
    const auto keeps = [&](const Use& use) {
      return use.captured || !wanted(*use.node) || (biases_alone && use.input != 2);
    };
    int count = graph.IsOutput(name) || std::ranges::any_of(uses, keeps) ? 1 : 0;
    for (const Use& use : uses) {
      if (keeps(use) || ++count == 1) continue;
      const std::string copy = graph.UniqueTensorName(StrCat("duplicated", name, count));
      graph.SetInitializer(copy, value);
      graph.SetInput(use.node, use.input, copy);
      changed = true;
    }
  }
  return changed;
}

class CopySharedInitializersPass final : public Pass {
 public:
  std::string_view name() const override { return "copy_shared_initializers"; }
  std::vector<std::string_view> aliases() const override { return {"CopySharedInit"}; }
  std::string_view summary() const override { return "each use of a constant except the first gets its own copy"; }
  bool on_by_default() const override { return false; }
  PassPhase phase() const override { return PassPhase::kLast; }
  Result<Effect> Apply(Model& model, const PassEnv& env) const override {
    return CopySharedInitializers(model.graph, env.copied_types, env.copies_biases_alone) ? Effect::kChanged
                                                                                          : Effect::kUnchanged;
  }
};

}  // namespace

std::unique_ptr<Pass> MakeCopySharedInitializersPass() { return std::make_unique<CopySharedInitializersPass>(); }

}  // namespace preon
