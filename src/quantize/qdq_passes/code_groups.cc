#include "quantize/qdq_passes/code_groups.h"

#include <algorithm>
#include <array>

#include "quantize/read/stored_codes.h"

namespace preon {
namespace {

std::optional<CodedTensor> CodesOf(const Graph& graph, const Node& node, const std::string& codes) {
  const Tensor* scale = graph.Initializer(node.input(1));
  const Tensor* zero_point = graph.Initializer(node.input(2));
  if (scale == nullptr || zero_point == nullptr || scale->type() != DataType::kFloat) return std::nullopt;
  if (scale->shape().size() > 1 || node.Int("block_size", 0) != 0) return std::nullopt;
  return CodedTensor{codes, node.input(1), node.input(2), zero_point->type(), node.Int("axis", 1), scale->count()};
}

}  // namespace

bool SameConstant(const Graph& graph, const std::string& a, const std::string& b) {
  if (a == b) return true;
  const Tensor *x = graph.Initializer(a), *y = graph.Initializer(b);
  return x != nullptr && y != nullptr && x->type() == y->type() && std::ranges::equal(x->bytes(), y->bytes());
}

std::optional<CodedTensor> DequantizedFrom(const Graph& graph, const std::string& tensor) {
  const Node* node = graph.Producer(tensor);
  if (node == nullptr || node->op_type != "DequantizeLinear") return std::nullopt;
  return CodesOf(graph, *node, node->input(0));
}

Node* OnlyQuantizer(const Graph& graph, const std::string& tensor) {
  if (graph.UseCount(tensor) != 1 || graph.IsOutput(tensor)) return nullptr;
  const Use use = graph.Uses(tensor)[0];
  return !use.captured && use.input == 0 && use.node->op_type == "QuantizeLinear" ? use.node : nullptr;
}

std::optional<CodedTensor> QuantizedInto(const Graph& graph, const std::string& tensor) {
  const Node* node = OnlyQuantizer(graph, tensor);
  return node == nullptr ? std::nullopt : CodesOf(graph, *node, node->output());
}

std::optional<IntegerCodes> IntegerCodesOf(const Graph& graph, const std::string& tensor) {
  for (const Use& use : graph.Uses(tensor)) {
    if (use.captured || use.input != 0 || !QuantizesTensor(*use.node)) continue;
    const Tensor* scale = graph.Initializer(use.node->input(1));
    const Tensor* zero_point = graph.Initializer(use.node->input(2));
    if (scale == nullptr || scale->type() != DataType::kFloat || scale->count() != 1 || zero_point == nullptr ||
        !IsIntType(zero_point->type()))
      return std::nullopt;
    const Tensor zero = DecodeTensor({.codes = *zero_point, .params = {{1, 0}}});
    return IntegerCodes{{scale->floats()[0], static_cast<int64_t>(zero.floats()[0])}, {.type = zero_point->type()}};
  }
  return std::nullopt;
}

Node* AddPair(Graph& graph, const std::string& tensor, const std::string& scale, const std::string& zero_point,
              const std::string& result) {
  const std::string codes = graph.UniqueTensorName(tensor + "_QuantizeLinear_Output");
  graph.AddNode("QuantizeLinear", {tensor, scale, zero_point}, {codes}, tensor + "_QuantizeLinear");
  return graph.AddNode("DequantizeLinear", {codes, scale, zero_point}, {result}, tensor + "_DequantizeLinear");
}

bool MovesElements(const Node& node) {
  constexpr std::array kMovers = {"MaxPool", "Reshape", "Flatten", "Transpose", "Squeeze",      "Unsqueeze",
                                  "Gather",  "Slice",   "Split",   "Expand",    "DepthToSpace", "Resize"};
  return node.domain.empty() && std::ranges::find(kMovers, node.op_type) != kMovers.end();
}

bool SameMeaning(const Graph& graph, const CodedTensor& a, const CodedTensor& b) {
  return a.type == b.type && a.per_tensor() && b.per_tensor() && SameConstant(graph, a.scale, b.scale) &&
         SameConstant(graph, a.zero_point, b.zero_point);
}

}  // namespace preon
