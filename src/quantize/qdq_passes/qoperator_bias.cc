#include "quantize/qdq_passes/qoperator_bias.h"

#include <cmath>
#include <limits>
#include <vector>

namespace preon {
namespace {

// Scales differ by the rounding of a product at most.
constexpr double kSameScale = 1e-6;

std::vector<double> Products(const Graph& graph, const CodedTensor& data, const CodedTensor& weight, size_t count) {
  const double scale = graph.Initializer(data.scale)->floats()[0];
  const std::span<const float> weights = graph.Initializer(weight.scale)->floats();
  std::vector<double> products;
  for (size_t channel = 0; channel < count; ++channel)
    products.push_back(scale * double{weights[weights.size() == 1 ? 0 : channel]});
  return products;
}

double IntegerAt(const Tensor& integers, size_t index) {
  switch (integers.type()) {
    case DataType::kInt8:
      return integers.As<int8_t>()[index];
    case DataType::kUInt8:
      return integers.As<uint8_t>()[index];
    case DataType::kInt16:
      return integers.As<int16_t>()[index];
    case DataType::kUInt16:
      return integers.As<uint16_t>()[index];
    default:
      return integers.As<int32_t>()[index];
  }
}

}  // namespace

std::optional<std::string> BiasCodes(Graph& graph, const std::string& bias, const CodedTensor& data,
                                     const CodedTensor& weight) {
  const std::optional<CodedTensor> coded = DequantizedFrom(graph, bias);
  const Tensor* values = graph.Initializer(coded ? coded->codes : bias);
  const bool known_type = coded ? IsIntType(coded->type) : values != nullptr && values->type() == DataType::kFloat;
  if (values == nullptr || !known_type) return std::nullopt;
  const auto count = static_cast<size_t>(values->count());
  const bool per_channel = weight.scales == values->count() || weight.per_tensor();
  if (!per_channel || (coded && coded->scales != 1 && coded->scales != values->count())) return std::nullopt;
  const std::vector<double> products = Products(graph, data, weight, count);

  std::vector<int32_t> codes;
  bool as_they_are = coded && coded->type == DataType::kInt32;
  for (size_t channel = 0; channel < count; ++channel) {
    double steps = 0;
    if (coded) {
      if (IntegerAt(*graph.Initializer(coded->zero_point), coded->scales == 1 ? 0 : channel) != 0) return std::nullopt;
      const double scale = graph.Initializer(coded->scale)->floats()[coded->scales == 1 ? 0 : channel];
      const bool same = std::abs(scale - products[channel]) <= kSameScale * products[channel];
      steps = IntegerAt(*values, channel) * (same ? 1 : scale / products[channel]);
      as_they_are = as_they_are && same;
    } else {
      steps = values->floats()[channel] / products[channel];
    }
    steps = std::nearbyint(steps);
    if (!(std::abs(steps) <= std::numeric_limits<int32_t>::max())) return std::nullopt;
    codes.push_back(static_cast<int32_t>(steps));
  }
  if (as_they_are) return coded->codes;
  const Shape shape = values->shape();
  std::string name = graph.UniqueTensorName(bias + "_quantized");
  graph.SetInitializer(name, Tensor::From<int32_t>(DataType::kInt32, shape, codes));
  return name;
}

bool GiveInt32Bias(Graph& graph, Node& node) {
  const std::optional<CodedTensor> data = DequantizedFrom(graph, node.input(0)),
                                   weight = DequantizedFrom(graph, node.input(1));
  if (node.input(2).empty() || !data || !weight || !data->per_tensor() || node.Float("beta", 1) != 1) return false;
  const std::optional<CodedTensor> old = DequantizedFrom(graph, node.input(2));
  const std::string bias = node.input(2);
  const std::optional<std::string> codes = BiasCodes(graph, bias, *data, *weight);
  if (!codes || (old && *codes == old->codes)) return false;
  const float data_scale = graph.Initializer(data->scale)->floats()[0];
  Tensor scales = Tensor::Allocate(DataType::kFloat, graph.Initializer(weight->scale)->shape());
  for (size_t index = 0; index < scales.floats().size(); ++index)
    scales.Mutable<float>()[index] = data_scale * graph.Initializer(weight->scale)->floats()[index];
  const std::string scale = graph.UniqueTensorName(bias + "_quantized_scale"),
                    value = graph.UniqueTensorName(bias + "_quantized_value");
  graph.SetInitializer(scale, std::move(scales));
  std::vector<std::string> inputs = {*codes, scale};
  if (old && old->type == DataType::kInt32) inputs.push_back(old->zero_point);
  Node* dequantize = graph.AddNode("DequantizeLinear", std::move(inputs), {value}, node.name + "_bias_DequantizeLinear",
                                   graph.Producer(node.input(1))->domain);
  if (!weight->per_tensor()) dequantize->attributes["axis"] = int64_t{0};
  graph.SetInput(&node, 2, value);
  if (Node* unread = graph.Producer(bias); unread != nullptr && graph.UseCount(bias) == 0) graph.RemoveNode(unread);
  return true;
}

}  // namespace preon
