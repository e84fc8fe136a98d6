#include "passes/infer_all_shapes.h"

#include <algorithm>

#include "ir/model_io.h"

namespace preon {
namespace {

bool IsKnown(const Graph& graph, const std::string& tensor) {
  if (tensor.empty()) return true;
  const ValueInfo* info = graph.Info(tensor);
  return info != nullptr && (info->type != DataType::kUndefined || !info->opaque_type.empty());
}

bool AreKnown(const Graph& graph, const std::vector<std::string>& tensors) {
  return std::ranges::all_of(tensors, [&](const std::string& tensor) { return IsKnown(graph, tensor); });
}

// Where the runtime can't tell, or refuses the node, opening the whole model will say so.
bool Infer(Model& model, const Node& node, Evaluator& evaluator) {
  const Result<std::vector<ValueInfo>> outputs = evaluator.InferOutputs(model, node);
  if (!outputs.ok()) return false;
  for (size_t index = 0; index < outputs->size(); ++index) {
    const ValueInfo& info = (*outputs)[index];
    if (info.type == DataType::kUndefined) continue;
    if (model.graph.Info(node.output(index)) == nullptr) model.graph.inferred.insert(node.output(index));
    model.graph.SetInfo(node.output(index), info);
  }
  return AreKnown(model.graph, node.outputs());
}

}  // namespace

void InferAllShapes(Model& model, Evaluator* evaluator) {
  InferShapes(model);
  if (evaluator == nullptr) return;
  const Graph& graph = model.graph;
  for (bool found = true; found;) {
    found = false;
    for (const auto& node : graph.nodes()) {
      if (node->domain.empty() || node->HasSubgraph() || AreKnown(graph, node->outputs())) continue;
      if (AreKnown(graph, node->inputs()) && Infer(model, *node, *evaluator)) found = true;
    }
    if (found) InferShapes(model);
  }
}

}  // namespace preon
