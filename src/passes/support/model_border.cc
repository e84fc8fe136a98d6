#include "passes/support/model_border.h"

#include "base/spelling.h"

namespace preon {

std::vector<std::string> BorderTensors(const Graph& graph) {
  std::vector<std::string> tensors = graph.inputs();
  tensors.insert(tensors.end(), graph.outputs().begin(), graph.outputs().end());
  return tensors;
}

Status CheckIsBorderTensor(const Graph& graph, const std::string& tensor) {
  if (graph.IsInput(tensor) || graph.IsOutput(tensor)) return Status::Ok();
  return Error(ErrorId::kNameNotInModel, "'", tensor, "' is not an input or output of the model",
               DidYouMean(tensor, BorderTensors(graph)));
}

}  // namespace preon
