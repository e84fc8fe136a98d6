#include "quantize/qdq_passes/integer_form.h"

#include <algorithm>

#include "quantize/params/position_problem.h"
#include "quantize/params/product_pairs.h"
#include "quantize/qdq_passes/activation_signs.h"
#include "quantize/qdq_passes/qdq_passes.h"
#include "quantize/qdq_passes/qoperator_bias.h"

namespace preon {
namespace {

// Of all pairs; false where there is none.
bool ScalesArePowersOfTwo(const Graph& graph) {
  bool any = false;
  for (const auto& node : graph.nodes()) {
    if (node->op_type != "QuantizeLinear" && node->op_type != "DequantizeLinear") continue;
    const Tensor* scale = graph.Initializer(node->input(1));
    if (scale == nullptr || scale->type() != DataType::kFloat) return false;
    if (!std::ranges::all_of(scale->floats(), [](float each) { return PositionOf(each).has_value(); })) return false;
    any = true;
  }
  return any;
}

// Is the bias a whole number of products of codes?
bool IsWholeBias(const Graph& graph, const Node& node) {
  const std::optional<CodedTensor> data = DequantizedFrom(graph, node.input(0)),
                                   weight = DequantizedFrom(graph, node.input(1)),
                                   bias = DequantizedFrom(graph, node.input(2));
  if (!data || !weight || !bias) return false;
  const float step = std::ranges::max(graph.Initializer(data->scale)->floats()) *
                     std::ranges::max(graph.Initializer(weight->scale)->floats());
  return std::ranges::min(graph.Initializer(bias->scale)->floats()) >= step;
}

}  // namespace

Result<Model> IntegerForm(Model model) {
  if (!ProcessorAddsPairsExactly() || !ScalesArePowersOfTwo(model.graph)) return model;
  std::vector<Node*> nodes;
  for (const auto& node : model.graph.nodes()) {
    if ((node->Is("Conv") || node->Is("Gemm")) && IsWholeBias(model.graph, *node)) nodes.push_back(node.get());
  }
  for (Node* node : nodes) GiveInt32Bias(model.graph, *node);
  ChangeActivationSigns(model.graph, DataType::kInt8, DataType::kUInt8);
  std::vector<std::string> warnings;
  PREON_RETURN_IF_ERROR(MakeClampCodesPass()->Apply(model, {}, warnings).status());
  PREON_RETURN_IF_ERROR(model.graph.SortTopologically());
  return model;
}

}  // namespace preon
