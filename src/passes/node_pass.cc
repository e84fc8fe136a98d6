#include "passes/node_pass.h"

#include <algorithm>

namespace preon {

bool NodePass::IsTarget(const Node& node) const {
  return info_.target_ops.empty() || std::any_of(info_.target_ops.begin(), info_.target_ops.end(),
                                                 [&](std::string_view op) { return node.Is(op); });
}

Result<Effect> NodePass::Apply(Model& model, const PassEnv& env) const {
  Effect effect = Effect::kUnchanged;
  for (bool changed = true; changed;) {
    changed = false;
    // By name: a rewrite may remove nodes that the sweep has not reached yet.
    std::vector<std::string> names;
    for (const auto& node : model.graph.nodes()) {
      if (IsTarget(*node)) names.push_back(node->name);
    }
    for (const std::string& node_name : names) {
      Node* node = model.graph.FindNode(node_name);
      if (node == nullptr || !IsTarget(*node)) continue;
      if (env.leaves && env.leaves(info_.name, model, *node)) continue;
      PREON_ASSIGN_OR_RETURN(const bool rewritten, Rewrite(model, *node, env));
      changed = changed || rewritten;
    }
    if (changed) effect = Effect::kChanged;
  }
  return effect;
}

}  // namespace preon
