#include "passes/stated_shapes.h"

#include <utility>
#include <vector>

#include "ir/model_io.h"

namespace preon {

void SettleShapes(Model& model, bool all) {
  Graph& graph = model.graph;
  if (all) {
    InferShapes(model);
  } else {
    std::vector<std::pair<std::string, ValueInfo>> stated;
    for (const auto& node : graph.nodes()) {
      for (const std::string& tensor : node->outputs()) {
        const ValueInfo* info = graph.inferred.contains(tensor) ? nullptr : graph.Info(tensor);
        if (info != nullptr && !graph.IsOutput(tensor)) stated.emplace_back(tensor, *info);
      }
    }
    graph.ClearInferredInfo();
    for (auto& [tensor, info] : stated) graph.SetInfo(tensor, std::move(info));
  }
  graph.inferred.clear();
}

}  // namespace preon
