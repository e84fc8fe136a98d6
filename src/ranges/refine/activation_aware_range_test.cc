#include "ranges/refine/activation_aware_range.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ranges/test_sketches.h"

namespace preon {
namespace {

double Silu(double x) { return x / (1 + std::exp(-x)); }
double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

const RangeQuery kUInt8Query = {.format = {DataType::kUInt8, false}};

// Mean square of f(x) - f(x'), by definition.
double ErrorBehind(double (*f)(double), const std::vector<float>& values, const Range& range) {
  const QuantParams params = *ComputeQuantParams(range, kUInt8Query.format);
  double sum = 0;
  for (const float x : values) {
    const double code = std::clamp(std::nearbyint(double{x} / params.scale) + params.zero_point, 0.0, 255.0);
    const double difference = f(x) - f(params.scale * (code - params.zero_point));
    sum += difference * difference;
  }
  return sum / static_cast<double>(values.size());
}

TEST(ActivationAwareRange, PullsInWhatSiluFlattens) {
  std::vector<float> values = test::Gaussian(20000);
  for (float& x : values) x = 6 * x - 4;
  const TensorSketch sketch = test::SketchOf(values);
  const Range all = {sketch.min(), sketch.max()};
  const Range pulled = *ActivationAwareRange(ReadActivation::kSilu, sketch, all, kUInt8Query);
  EXPECT_EQ(pulled.max, all.max);
  EXPECT_GT(pulled.min, -12);
  EXPECT_LT(ErrorBehind(Silu, values, pulled), 0.7 * ErrorBehind(Silu, values, all));
}

TEST(ActivationAwareRange, PullsInBothEndsInFrontOfSigmoid) {
  std::vector<float> values = test::Gaussian(20000);
  for (float& x : values) x = 20 * x;
  const TensorSketch sketch = test::SketchOf(values);
  const Range all = {sketch.min(), sketch.max()};
  const Range pulled = *ActivationAwareRange(ReadActivation::kSigmoid, sketch, all, kUInt8Query);
  EXPECT_LT(pulled.max, all.max / 2);
  EXPECT_GT(pulled.min, all.min / 2);
  EXPECT_LT(ErrorBehind(Sigmoid, values, pulled), 0.3 * ErrorBehind(Sigmoid, values, all));
}

TEST(ActivationAwareRange, LeavesAloneWhatHasNothingToGain) {
  const TensorSketch positive = test::SketchOf({0.5f, 1, 2, 3});
  EXPECT_EQ(*ActivationAwareRange(ReadActivation::kSilu, positive, {0, 3}, kUInt8Query), (Range{0, 3}));
  const TensorSketch wide = test::SketchOf({-100, 1, 2, 3});
  const RangeQuery int16 = {.format = {DataType::kInt16, false}};
  EXPECT_EQ(*ActivationAwareRange(ReadActivation::kSilu, wide, {-100, 3}, int16), (Range{-100, 3}));
}

}  // namespace
}  // namespace preon
