#include "passes/support/widen_float16.h"

#include <algorithm>

#include "base/half.h"

namespace preon {
namespace {

constexpr auto kFloatNumber = static_cast<int64_t>(DataType::kFloat);
constexpr auto kFloat16Number = static_cast<int64_t>(DataType::kFloat16);

// Attributes that hold the number of an element type, whatever the operator.
constexpr std::string_view kTypeAttributes[] = {
    "to", "dtype", "output_datatype", "output_dtype", "softmax_precision", "stash_type"};

}  // namespace

Tensor Widened(const Tensor& tensor) {
  Tensor wide = Tensor::Allocate(DataType::kFloat, tensor.shape());
  std::ranges::copy(tensor.As<Half>(), wide.Mutable<float>().begin());
  return wide;
}

void WidenAttributes(Node& node) {
  for (auto& [name, value] : node.attributes) {
    if (auto* tensor = std::get_if<Tensor>(&value); tensor != nullptr && tensor->type() == DataType::kFloat16) {
      *tensor = Widened(*tensor);
    } else if (auto* number = std::get_if<int64_t>(&value);
               number != nullptr && *number == kFloat16Number &&
               std::ranges::find(kTypeAttributes, name) != std::end(kTypeAttributes)) {
      *number = kFloatNumber;
    }
  }
}

std::string WhyNotWidened(const Graph& graph, const Node& node) {
  if (node.Is("BitCast") && (node.Int("to", 0) == kFloat16Number || graph.TypeOf(node.input(0)) == DataType::kFloat16))
    return "reads float16 as bits";
  const bool opaque = !node.IsFlatIf() && std::ranges::any_of(node.attributes, [](const auto& attribute) {
    const auto* value = std::get_if<OpaqueAttribute>(&attribute.second);
    return value != nullptr && !value->is_graph;
  });
  return opaque ? "holds a type or a sparse tensor" : "";
}

void SetElementType(Graph& graph, const std::string& tensor, DataType type) {
  const ValueInfo* known = graph.Info(tensor);
  ValueInfo info = known == nullptr ? ValueInfo() : *known;
  info.type = type;
  graph.SetInfo(tensor, std::move(info));
}

void CopyInfo(Graph& graph, const std::string& from, const std::string& to) {
  if (const ValueInfo* info = graph.Info(from)) graph.SetInfo(to, ValueInfo(*info));
}

void AddCast(Graph& graph, const std::string& from, const std::string& to, DataType type, const std::string& name) {
  Node* cast = graph.AddNode("Cast", {from}, {to}, name, "", graph.FirstPlaceToRead(from));
  cast->attributes["to"] = static_cast<int64_t>(type);
  SetElementType(graph, to, type);
}

}  // namespace preon
