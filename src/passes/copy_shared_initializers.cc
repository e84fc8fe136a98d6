#include "passes/copy_shared_initializers.h"

#include <algorithm>

#include "base/text.h"
#include "passes/match.h"

namespace preon {

void CopySharedInitializers(Graph& graph, const std::vector<std::string>& op_types) {
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
    const auto keeps = [&](const Use& use) { return use.captured || !wanted(*use.node); };
    int count = graph.IsOutput(name) || std::ranges::any_of(uses, keeps) ? 1 : 0;
    for (const Use& use : uses) {
      if (keeps(use) || ++count == 1) continue;
      const std::string copy = graph.UniqueTensorName(StrCat("duplicated", name, count));
      graph.SetInitializer(copy, value);
      graph.SetInput(use.node, use.input, copy);
    }
  }
}

}  // namespace preon
