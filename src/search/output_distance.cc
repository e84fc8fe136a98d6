#include "search/output_distance.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "eval/values.h"

namespace preon {
namespace {

constexpr double kLeastPower = 1e-10, kLeastProbability = 1e-10;

double Power(std::span<const float> values) {
  double sum = 0;
  for (const float value : values) sum += double{value} * value;
  return sum;
}

double NoisePower(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (size_t index = 0; index < a.size(); ++index) {
    const double difference = double{a[index]} - b[index];
    sum += difference * difference;
  }
  return sum;
}

std::vector<double> AsDistribution(std::span<const float> values) {
  const double least = *std::ranges::min_element(values);
  std::vector<double> shares(values.begin(), values.end());
  double sum = 0;
  for (double& share : shares) sum += (share -= least);
  for (double& share : shares) share = sum > 0 ? share / sum : 1.0 / static_cast<double>(shares.size());
  return shares;
}

double Divergence(std::span<const float> reference, std::span<const float> quantized) {
  const std::vector<double> p = AsDistribution(reference), q = AsDistribution(quantized);
  double sum = 0;
  for (size_t index = 0; index < p.size(); ++index)
    sum += p[index] * std::log((p[index] + kLeastProbability) / (q[index] + kLeastProbability));
  return sum;
}

double CosineDistance(std::span<const float> reference, std::span<const float> quantized) {
  const double norms = std::sqrt(Power(reference) * Power(quantized));
  double product = 0;
  for (size_t index = 0; index < reference.size(); ++index) product += double{reference[index]} * quantized[index];
  return norms > 0 ? 1 - product / norms : 0;
}

double Peak(std::span<const float> values) {
  double peak = 0;
  for (const float value : values) peak = std::max(peak, std::abs(double{value}));
  return peak;
}

// Also of 16 bits.
std::vector<float> ToFloats(const Tensor& tensor) {
  const std::vector<double> values = ToDoubles(tensor);
  return {values.begin(), values.end()};
}

Tensor AsFloats(const Tensor& tensor) { return Tensor::FromFloats(tensor.shape(), ToFloats(tensor)); }

}  // namespace

double DistanceOf(OutputDistance distance, std::span<const float> reference, std::span<const float> quantized) {
  const auto count = static_cast<double>(reference.size());
  const auto mean = [&](double power) { return std::max(kLeastPower, power / count); };
  switch (distance) {
    case OutputDistance::kL2:
      return std::sqrt(NoisePower(reference, quantized));
    case OutputDistance::kKl:
      return Divergence(reference, quantized);
    case OutputDistance::kCosine:
      return CosineDistance(reference, quantized);
    case OutputDistance::kSqnr:
      return -10 * std::log10(mean(Power(reference)) / mean(NoisePower(reference, quantized)));
    case OutputDistance::kPsnr:
      return 10 * std::log10(mean(NoisePower(reference, quantized))) -
             20 * std::log10(std::max(std::sqrt(kLeastPower), Peak(reference)));
  }
  return 0;
}

Result<double> DistanceFromFloat(const Model& quantized, const DistanceMeasure& measure, const std::string& output,
                                 const TrialRuns& runs, Trials& trials) {
  double sum = 0, count = 0;
  std::vector<Tensor> all_of_float, all_of_quantized;  // for a distance of its own alone
  const auto find = [&](const std::vector<NamedTensor>& outputs) {
    return std::ranges::find(outputs, output, &NamedTensor::name);
  };
  const TrialVisitor visit = [&](const std::vector<NamedTensor>& reference, const std::vector<NamedTensor>& got) {
    const auto of_float = find(reference), of_quantized = find(got);
    const bool comparable = of_float != reference.end() && of_quantized != got.end() &&
                            IsFloatingType(of_float->tensor.type()) &&
                            of_float->tensor.shape() == of_quantized->tensor.shape() && of_float->tensor.count() > 0;
    if (!comparable)
      return Status(Error(ErrorId::kVerifyOutput, "mixed precision: output '", output,
                          "' can't be compared: it is not float, or its shape depends on the data"));
    if (measure.own) {
      all_of_float.push_back(AsFloats(of_float->tensor));
      all_of_quantized.push_back(AsFloats(of_quantized->tensor));
    } else {
      sum += DistanceOf(measure.kind, ToFloats(of_float->tensor), ToFloats(of_quantized->tensor));
    }
    ++count;
    return Status::Ok();
  };
  PREON_RETURN_IF_ERROR(trials.Visit(quantized, runs, visit));
  const double distance = measure.own ? measure.own(all_of_float, all_of_quantized) : sum / count;
  return std::isfinite(distance) ? distance : std::numeric_limits<double>::infinity();
}

}  // namespace preon
