#include "ir/constant_value.h"

#include <variant>

namespace preon {

const Tensor* ConstantValue(const Graph& graph, const std::string& tensor) {
  const Node* producer = graph.Producer(tensor);
  if (producer == nullptr || !producer->Is("Constant")) return graph.Initializer(tensor);
  const auto value = producer->attributes.find("value");
  return value == producer->attributes.end() ? nullptr : std::get_if<Tensor>(&value->second);
}

bool IsFloatConstant(const Graph& graph, std::string_view tensor) {
  const Tensor* constant = graph.Initializer(tensor);
  return constant != nullptr && constant->type() == DataType::kFloat;
}

}  // namespace preon
