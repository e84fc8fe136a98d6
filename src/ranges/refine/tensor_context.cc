#include "ranges/refine/tensor_context.h"

#include "ranges/refine/output_tensors.h"

namespace preon {

TensorContexts FindTensorContexts(const Graph& graph, const std::set<std::string>& tensors) {
  TensorContexts contexts;
  for (const std::string& tensor : FindOutputTensors(graph, tensors)) contexts[tensor].is_output = true;
  for (const std::string& tensor : tensors) {
    const ReadActivation activation = FindReadActivation(graph, tensor);
    if (activation != ReadActivation::kNone) contexts[tensor].read_activation = activation;
  }
  return contexts;
}

}  // namespace preon
