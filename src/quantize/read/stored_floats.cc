#include "quantize/read/stored_floats.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "formats/int_format.h"
#include "quantize/read/float_view.h"

namespace preon {
namespace {

bool IsStoredType(DataType type) { return type == DataType::kInt8 || type == DataType::kFloat16; }

// Element i of a tensor of this shape has the scale of this index: scales broadcast against it.
std::optional<std::vector<float>> Spread(const Tensor& scale, const Shape& shape) {
  if (scale.type() != DataType::kFloat || (!scale.shape().empty() && scale.shape().size() != shape.size()))
    return std::nullopt;
  std::vector<float> spread(static_cast<size_t>(ElementCount(shape)));
  for (size_t i = 0; i < spread.size(); ++i) {
    int64_t at = 0, stride = 1, rest = static_cast<int64_t>(i);
    for (size_t axis = shape.size(); axis-- > 0 && !scale.shape().empty(); rest /= shape[axis]) {
      const int64_t extent = scale.shape()[axis];
      if (extent != 1 && extent != shape[axis]) return std::nullopt;
      if (extent != 1) at += rest % shape[axis] * stride;
      stride *= extent;
    }
    spread[i] = scale.floats()[static_cast<size_t>(at)];
  }
  return spread;
}

void Restore(Graph& graph, Node* cast) {
  const std::string codes_name = cast->input(0);
  const Tensor* codes = graph.Initializer(codes_name);
  const bool to_float = cast->Int("to", 0) == static_cast<int64_t>(DataType::kFloat);
  if (codes == nullptr || !IsStoredType(codes->type()) || !to_float || graph.IsOutput(cast->output())) return;
  Tensor values = DecodeTensor({.codes = *codes, .params = {QuantParams()}});
  Node* scaled = OnlyReader(graph, cast->output());
  const Tensor* scale = scaled != nullptr && scaled->Is("Mul") && scaled->input(0) == cast->output()
                            ? graph.Initializer(scaled->input(1))
                            : nullptr;
  if (scale != nullptr && !graph.IsOutput(scaled->output())) {
    const std::optional<std::vector<float>> factors = Spread(*scale, values.shape());
    if (!factors) return;
    std::ranges::transform(values.floats(), *factors, values.Mutable<float>().begin(), std::multiplies<float>());
  } else {
    scaled = nullptr;
  }
  Node* last = scaled != nullptr ? scaled : cast;
  if (graph.HasCapturedUse(last->output())) return;
  const std::string name = graph.UniqueTensorName(WithoutCodesSuffix(codes_name));
  graph.SetInitializer(name, std::move(values));
  graph.ReplaceUses(last->output(), name);
  if (scaled != nullptr) graph.RemoveNode(scaled);
  graph.RemoveNode(cast);
}

}  // namespace

void RestoreFloatWeights(Graph& graph) {
  std::vector<Node*> casts;
  for (const auto& node : graph.nodes())
    if (node->Is("Cast")) casts.push_back(node.get());
  for (Node* cast : casts) Restore(graph, cast);
  graph.RemoveUnusedInitializers();
}

}  // namespace preon
