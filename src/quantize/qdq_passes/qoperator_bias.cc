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

}  // namespace preon
