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

}  // namespace

std::optional<std::string> BiasCodes(Graph& graph, const std::string& bias, const CodedTensor& data,
                                     const CodedTensor& weight) {
  const std::optional<CodedTensor> coded = DequantizedFrom(graph, bias);
  const Tensor* values = graph.Initializer(coded ? coded->codes : bias);
  if (values == nullptr || values->type() != (coded ? DataType::kInt32 : DataType::kFloat)) return std::nullopt;
  const auto count = static_cast<size_t>(values->count());
  const bool per_channel = weight.scales == values->count() || weight.per_tensor();
  if (!per_channel || (coded && coded->scales != 1 && coded->scales != values->count())) return std::nullopt;
  const std::vector<double> products = Products(graph, data, weight, count);

  std::vector<int32_t> codes;
  bool as_they_are = coded.has_value();
  for (size_t channel = 0; channel < count; ++channel) {
    double steps = 0;
    if (coded) {
      if (graph.Initializer(coded->zero_point)->As<int32_t>()[coded->scales == 1 ? 0 : channel] != 0)
        return std::nullopt;
      const double scale = graph.Initializer(coded->scale)->floats()[coded->scales == 1 ? 0 : channel];
      const bool same = std::abs(scale - products[channel]) <= kSameScale * products[channel];
      steps = values->As<int32_t>()[channel] * (same ? 1 : scale / products[channel]);
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
