#include "handover/float_weights.h"

#include <algorithm>

namespace preon {
namespace {

constexpr float kHalfStep = 0.49f;  // beyond a half the next code begins

}  // namespace

Result<std::vector<RoundingError>> TakeFloatWeights(const Graph& float_graph, TrainingForm& form) {
  std::vector<RoundingError> taken;
  for (const RoundedTensor& tensor : form.tensors) {
    const Tensor* real = float_graph.Initializer(tensor.name);
    const Tensor* decoded = form.float_model.graph.Initializer(tensor.name);
    if (real == nullptr || decoded == nullptr || real->type() != DataType::kFloat || real->shape() != decoded->shape())
      continue;
    std::vector<float> scales;
    for (const QuantParams& params : tensor.codes.params) scales.push_back(params.scale);
    PREON_ASSIGN_OR_RETURN(const Tensor steps, ForEachElement(tensor.codes, tensor.shape, scales));
    RoundingError error{.name = tensor.name, .constant = true};
    Tensor moved = Tensor::Allocate(DataType::kFloat, real->shape());
    for (size_t i = 0; i < moved.Mutable<float>().size(); ++i) {
      const float middle = decoded->floats()[i], reach = kHalfStep * steps.floats()[i];
      const double value = real->floats()[i];
      error.signal += value * value;
      error.own += (middle - value) * (middle - value);
      moved.Mutable<float>()[i] = std::clamp(real->floats()[i], middle - reach, middle + reach);
    }
    form.float_model.graph.SetInitializer(tensor.name, moved);
    form.fake_quant_model.graph.SetInitializer(tensor.name, moved);
    error.noise = error.own;
    taken.push_back(std::move(error));
  }
  return taken;
}

}  // namespace preon
