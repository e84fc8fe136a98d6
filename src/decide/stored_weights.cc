#include "decide/stored_weights.h"

#include "ir/graph.h"

namespace preon {

StoredWeights StoredWeightsOf(const Graph& before, const Graph& after, const std::set<std::string>& for_accuracy) {
  StoredWeights stored;
  std::set<std::string> kept;
  for (const auto& node : before.nodes()) {
    if (for_accuracy.contains(node->name)) kept.insert(node->inputs().begin(), node->inputs().end());
  }
  for (const auto& [name, tensor] : before.initializers())
    if (tensor.type() == DataType::kFloat && !kept.contains(name))
      stored.float_model_bytes += static_cast<int64_t>(tensor.bytes().size());
  for (const auto& [name, tensor] : after.initializers()) {
    const auto bytes = static_cast<int64_t>(tensor.bytes().size());
    if (tensor.type() != DataType::kFloat || bytes <= stored.largest_float_bytes || kept.contains(name)) continue;
    stored.largest_float = name;
    stored.largest_float_bytes = bytes;
  }
  return stored;
}

}  // namespace preon
