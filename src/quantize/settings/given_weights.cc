#include "quantize/settings/given_weights.h"

#include <algorithm>
#include <cmath>

#include "base/tensor.h"
#include "formats/axis_view.h"

namespace preon {
namespace {

constexpr double kDoesNotFit = 64;

// The axis that has as many channels as there are scales; -1: one scale for all.
std::optional<int> AxisOf(const TensorOverride& given, const Shape& shape) {
  if (given.params) return -1;
  const auto rank = static_cast<int>(shape.size());
  if (given.axis) return *given.axis < 0 ? *given.axis + rank : *given.axis;
  const auto axis = std::ranges::find(shape, std::ssize(given.channel_params));
  if (axis == shape.end()) return std::nullopt;
  return static_cast<int>(axis - shape.begin());
}

// How many times too large or too small the scales are, as the mean of |log2| over the channels.
double Misfit(const Tensor& weight, const TensorOverride& given) {
  const std::optional<int> axis = AxisOf(given, weight.shape());
  if (weight.type() != DataType::kFloat || !axis) return kDoesNotFit;
  const std::span<const QuantParams> params =
      given.params ? std::span(&*given.params, 1) : std::span<const QuantParams>(given.channel_params);
  const Result<AxisView> view = ViewAlong(weight.shape(), *axis);
  if (!view.ok() || view->channels != std::ssize(params)) return kDoesNotFit;
  const std::span<const float> values = weight.floats();
  const double codes = std::ldexp(1.0, given.type->bits() - 1);
  double sum = 0;
  int64_t counted = 0;
  for (int64_t channel = 0; channel < view->channels; ++channel) {
    float largest = 0;
    for (int64_t outer = 0; outer < view->outer; ++outer) {
      for (const float value : values.subspan((outer * view->channels + channel) * view->inner, view->inner))
        largest = std::max(largest, std::abs(value));
    }
    const double reach = codes * params[channel].scale;
    if (largest == 0 || !(reach > 0)) continue;
    sum += std::abs(std::log2(largest / reach));
    ++counted;
  }
  return counted > 0 ? sum / static_cast<double>(counted) : 0;
}

}  // namespace

Status CheckGivenWeights(const Graph& before, const Graph& after, const std::map<std::string, TensorOverride>& given) {
  double as_it_was = 0, as_it_is = 0;
  std::string changed;
  for (const auto& [name, wanted] : given) {
    const Tensor* const was = before.Initializer(name);
    const Tensor* const is = after.Initializer(name);
    const bool has_scales = wanted.type && (wanted.params || !wanted.channel_params.empty());
    if (was == nullptr || is == nullptr || !has_scales || wanted.block_size.value_or(0) > 0) continue;
    if (was->bytes().data() == is->bytes().data() || std::ranges::equal(was->bytes(), is->bytes())) continue;
    as_it_was += Misfit(*was, wanted);
    as_it_is += Misfit(*is, wanted);
    if (changed.empty()) changed = name;
  }
  if (as_it_was >= as_it_is) return Status::Ok();
  return Error(ErrorId::kPassFailed, "the scales that --encodings gives '", changed,
               "' and others fit the weights as they are without this pass");
}

}  // namespace preon
