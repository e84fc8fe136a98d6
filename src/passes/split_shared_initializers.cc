// split_shared_initializers: one initializer per role, so that each can have codes of its own.
//
// Before:      Conv(x, w, b), Conv(y, w, b), Gather(w, i)
// After:       Conv(x, w, b), Conv(y, w, b_1), Gather(w_1, i)
// Conditions:  float; read in several roles (initializer_role.h): as weight with different channel axes, as weight
//              and as plain operand, as bias of several nodes, or by nodes that the user set apart. Other weights
//              shared by nodes of one kind and plain operands (scalars, tables) stay shared. The first reader keeps the
//              name, as do sub-graphs and graph outputs.
// Formula:     -
#include <map>

#include "passes/passes.h"
#include "passes/support/initializer_role.h"
#include "passes/support/match.h"

namespace preon {
namespace {

bool GiveEachReaderItsCopy(Graph& graph, const std::string& tensor, const NodeSettings& settings_of) {
  const Tensor value = *graph.Initializer(tensor);  // a copy: new initializers may move the old ones
  const std::vector<Use> uses = graph.Uses(tensor);
  const bool named = graph.IsOutput(tensor) || graph.HasCapturedUse(tensor);
  std::map<InitializerRole, std::string> names = {
      {named ? InitializerRole{} : RoleOf(uses[0], tensor, settings_of), tensor}};
  for (const Use& use : uses) {
    if (use.captured) continue;
    const auto [entry, fresh] = names.try_emplace(RoleOf(use, tensor, settings_of));
    if (fresh) {
      entry->second = graph.UniqueTensorName(tensor);
      graph.SetInitializer(entry->second, value);
    }
    if (entry->second != tensor) graph.SetInput(use.node, use.input, entry->second);
  }
  return names.size() > 1;
}

class SplitSharedInitializers final : public Pass {
 public:
  SplitSharedInitializers(std::string_view name, PassPhase phase) : name_(name), phase_(phase) {}
  std::string_view name() const override { return name_; }
  std::string_view summary() const override {
    return "an initializer with several roles (weight, bias, other) gets one copy for each role";
  }
  bool on_by_default() const override { return phase_ == PassPhase::kRounds; }
  PassPhase phase() const override { return phase_; }
  bool works_in_bodies() const override { return phase_ == PassPhase::kLast; }

  Result<Effect> Apply(Model& model, const PassEnv& env) const override {
    Graph& graph = model.graph;
    std::vector<std::string> shared;
    for (const auto& [tensor, value] : graph.initializers()) {
      const bool is_float = value.type() == DataType::kFloat && Constant(graph, tensor) != nullptr;
      if (is_float && !SingleRole(graph, tensor, env.settings_of).has_value()) shared.push_back(tensor);
    }
    bool changed = false;
    for (const std::string& tensor : shared) changed = GiveEachReaderItsCopy(graph, tensor, env.settings_of) || changed;
    return changed ? Effect::kChanged : Effect::kUnchanged;
  }

 private:
  const std::string_view name_;
  const PassPhase phase_;
};

}  // namespace

std::unique_ptr<Pass> MakeSplitSharedInitializersPass() {
  return std::make_unique<SplitSharedInitializers>("split_shared_initializers", PassPhase::kRounds);
}

std::unique_ptr<Pass> MakeSplitSharedInitializersLastPass() {
  return std::make_unique<SplitSharedInitializers>("split_shared_initializers_last", PassPhase::kLast);
}

}  // namespace preon
