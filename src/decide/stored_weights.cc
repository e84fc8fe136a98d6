#include "decide/stored_weights.h"

#include "ir/graph.h"

namespace preon {

StoredWeights StoredWeightsOf(const Graph& before, const Graph& after) {
  StoredWeights stored;
  for (const auto& [_, tensor] : before.initializers())
    if (tensor.type() == DataType::kFloat) stored.float_model_bytes += static_cast<int64_t>(tensor.bytes().size());
  for (const auto& [name, tensor] : after.initializers()) {
    const auto bytes = static_cast<int64_t>(tensor.bytes().size());
    if (tensor.type() != DataType::kFloat || bytes <= stored.largest_float_bytes) continue;
    stored.largest_float = name;
    stored.largest_float_bytes = bytes;
  }
  return stored;
}

}  // namespace preon
