#include "config/float_scales.h"

namespace preon {
namespace {

bool Keep(ScaleType& type) {
  if (type != ScaleType::kPowerOfTwo) return false;
  type = ScaleType::kFloat32;
  return true;
}

bool Keep(TensorOverride& wanted) {
  bool kept = wanted.scale_type && Keep(*wanted.scale_type);
  for (ConvertOverride& convert : wanted.converts) kept |= convert.scale_type && Keep(*convert.scale_type);
  return kept;
}

}  // namespace

bool SettleFloatScales(const std::map<std::string, std::string>& keys, ScaleType& activations,
                       std::optional<ScaleType>& weights, TensorSettings& settings) {
  const auto key = keys.find(std::string(kPowerOf2Key));
  if (key == keys.end() || key->second != "false") return true;
  bool kept = Keep(activations);
  if (weights) kept |= Keep(*weights);
  for (LayerOverride& layer : settings.layers) {
    for (auto* role : {&layer.input, &layer.weight, &layer.bias, &layer.output}) {
      if (*role) kept |= Keep(**role);
    }
  }
  for (auto* tensors : {&settings.overrides, &settings.base_overrides}) {
    for (auto& [tensor, wanted] : *tensors) kept |= Keep(wanted);
  }
  return kept;
}

}  // namespace preon
