#include "quantize/settings/given_weights.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/tensor.h"
#include "formats/int_format.h"

namespace preon {
namespace {

constexpr double kDoesNotFit = 64;
constexpr double kOneBitLess = -1;  // log2 of what codes reach to where a bit is left free (reduce_range)

// The axis that has as many channels as there are scales; -1: one scale for all.
std::optional<int> AxisOf(const TensorOverride& given, const Shape& shape) {
  if (given.params) return -1;
  const auto rank = static_cast<int>(shape.size());
  if (given.axis) return *given.axis < 0 ? *given.axis + rank : *given.axis;
  const auto axis = std::ranges::find(shape, std::ssize(given.channel_params));
  if (axis == shape.end()) return std::nullopt;
  return static_cast<int>(axis - shape.begin());
}

// Adds, for each channel, log2 of the largest value over the largest that the codes stand for.
void AddReaches(const Tensor& weight, const TensorOverride& given, std::vector<double>& reaches) {
  const std::optional<int> axis = AxisOf(given, weight.shape());
  const std::span<const QuantParams> params =
      given.params ? std::span(&*given.params, 1) : std::span<const QuantParams>(given.channel_params);
  const bool is_float = weight.type() == DataType::kFloat && axis;
  const Result<std::vector<Range>> ranges =
      is_float ? WeightRanges(weight, *axis) : Result<std::vector<Range>>(std::vector<Range>());
  if (!ranges.ok() || ranges->size() != params.size()) {
    reaches.push_back(kDoesNotFit);
    return;
  }
  const double codes = std::ldexp(1.0, given.type->bits() - 1);
  for (size_t channel = 0; channel < params.size(); ++channel) {
    const double largest = std::max(-(*ranges)[channel].min, (*ranges)[channel].max);
    const double reach = codes * params[channel].scale;
    if (largest > 0 && reach > 0) reaches.push_back(std::log2(largest / reach));
  }
}

// The mean distance from what all have in common, which lies between all codes and all but one bit.
double Misfit(const std::vector<double>& reaches) {
  if (reaches.empty()) return 0;
  const auto count = static_cast<double>(reaches.size());
  const double mean = std::accumulate(reaches.begin(), reaches.end(), 0.0) / count;
  const double common = std::clamp(mean, kOneBitLess, 0.0);
  double sum = 0;
  for (const double reach : reaches) sum += std::abs(reach - common);
  return sum / count;
}

}  // namespace

Status CheckGivenWeights(const Graph& before, const Graph& after, const std::map<std::string, TensorOverride>& given) {
  std::vector<double> as_it_was, as_it_is;
  std::string changed;
  for (const auto& [name, wanted] : given) {
    const Tensor* const was = before.Initializer(name);
    const Tensor* const is = after.Initializer(name);
    const bool has_scales = wanted.type && (wanted.params || !wanted.channel_params.empty());
    if (was == nullptr || is == nullptr || !has_scales || wanted.block_size.value_or(0) > 0) continue;
    if (was->bytes().data() == is->bytes().data() || std::ranges::equal(was->bytes(), is->bytes())) continue;
    AddReaches(*was, wanted, as_it_was);
    AddReaches(*is, wanted, as_it_is);
    if (changed.empty()) changed = name;
  }
  if (Misfit(as_it_was) >= Misfit(as_it_is)) return Status::Ok();
  return Error(ErrorId::kPassFailed, "the scales that --encodings gives '", changed,
               "' and others fit the weights as they are without this pass");
}

}  // namespace preon
