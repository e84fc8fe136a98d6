#include "search/outputs_as_floats.h"

namespace preon {

std::vector<std::string> OutputsAsFloats(const Graph& graph) {
  std::vector<std::string> outputs = graph.outputs();
  for (std::string& output : outputs) {
    const Node* producer = graph.Producer(output);
    const bool rounded = producer != nullptr && producer->Is("Cast") && graph.TypeOf(output) != DataType::kFloat;
    if (rounded && graph.TypeOf(producer->input(0)) == DataType::kFloat) output = producer->input(0);
  }
  return outputs;
}

}  // namespace preon
