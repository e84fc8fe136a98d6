#include "quantize/write/divided_channels.h"

namespace preon {
namespace {

// Of each index along the axis: those beside each other share a factor where there are fewer factors.
Tensor Scaled(const Tensor& weight, size_t axis, std::span<const float> factors, bool divides) {
  const Shape& shape = weight.shape();
  size_t inner = 1;
  for (size_t behind = axis + 1; behind < shape.size(); ++behind) inner *= static_cast<size_t>(shape[behind]);
  const auto size = static_cast<size_t>(shape[axis]);
  const size_t share = size / factors.size();
  std::vector<float> values(weight.floats().begin(), weight.floats().end());
  for (size_t i = 0; i < values.size(); ++i) {
    const double factor = factors[i / inner % size / share];
    values[i] = static_cast<float>(values[i] * (divides ? 1 / factor : factor));
  }
  return Tensor::FromFloats(shape, values);
}

}  // namespace

Tensor WithOutputsDivided(const Tensor& weight, std::span<const float> factors) {
  return Scaled(weight, 0, factors, true);
}

Tensor WithInputsMultiplied(const Node& layer, const Tensor& weight, std::span<const float> factors) {
  const bool rows = layer.Is("Gemm") ? layer.Int("transB", 0) == 0 : layer.Int("group", 1) != 1;
  return Scaled(weight, rows ? 0 : 1, factors, false);
}

}  // namespace preon
