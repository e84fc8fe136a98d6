// Tensors that the tests of range methods share.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "stats/tensor_sketch.h"

namespace preon::test {

inline TensorSketch SketchOf(const std::vector<float>& values, SketchMode mode = SketchMode::kExact) {
  TensorSketch sketch({.mode = mode});
  sketch.Update(values);
  return sketch;
}

inline std::vector<float> Gaussian(size_t count, uint32_t seed = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float& x : values) x = normal(random);
  return values;
}

struct NamedValues {
  std::string name;
  std::vector<float> values;
};

/// What activations look like: both signs, ReLU with its zeros, heavy tails, one outlier, clamped, far from zero.
inline std::vector<NamedValues> ActivationLikeTensors(size_t count = 50000) {
  const std::vector<float> normal = Gaussian(count);
  const auto map = [&](auto f) {
    std::vector<float> values(count);
    std::transform(normal.begin(), normal.end(), values.begin(), f);
    return values;
  };
  std::vector<NamedValues> tensors = {
      {"gaussian", normal},
      {"relu", map([](float x) { return std::max(x, 0.0f); })},
      {"relu6", map([](float x) { return std::clamp(4 * x, 0.0f, 6.0f); })},
      {"heavy", map([](float x) { return x * std::exp(std::abs(x)); })},
      {"swish", map([](float x) { return 3 * x / (1 + std::exp(-3 * x)); })},
      {"far", map([](float x) { return 10 + x; })},
      {"negative", map([](float x) { return -std::exp(x); })},
      {"levels", map([](float x) { return std::nearbyint(x * 40) / 40; })},
      {"outlier", normal},
  };
  tensors.back().values[count / 2] = 500;
  return tensors;
}

/// numpy.quantile(sorted, q), its default interpolation, in double.
inline double ExactQuantile(const std::vector<float>& sorted, double quantile) {
  const double rank = quantile * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(rank);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(static_cast<double>(sorted[below]), static_cast<double>(sorted[above]), rank - std::floor(rank));
}

}  // namespace preon::test
