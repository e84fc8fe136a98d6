#include "passes/support/model_bytes.h"

namespace preon {

int64_t ModelBytes(const Graph& graph) {
  size_t bytes = 0;
  for (const auto& [name, value] : graph.initializers()) bytes += value.bytes().size();
  for (const auto& node : graph.nodes()) {
    bytes += static_cast<size_t>(kNodeBytes);
    for (const auto& [name, value] : node->attributes) {
      if (const Tensor* tensor = std::get_if<Tensor>(&value)) bytes += tensor->bytes().size();
    }
  }
  return static_cast<int64_t>(bytes);
}

}  // namespace preon
