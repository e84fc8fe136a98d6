#include "ops/dpu_instance_norm.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace preon {
namespace {

uint32_t BitsOf(float x) { return std::bit_cast<uint32_t>(x); }

// To bfloat16, ties to even; NaN stays NaN.
float Bf(float x) {
  if (std::isnan(x)) return x;
  const uint32_t bits = BitsOf(x);
  return std::bit_cast<float>((bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000u);
}

int ExponentField(float x) { return static_cast<int>(BitsOf(x) >> 23 & 0xff); }

// v with its last bit where the accumulator has its own.
float Aligned(float v, int exponent) {
  const float anchor =
      std::bit_cast<float>((BitsOf(v) & 0x80000000u) | static_cast<uint32_t>(std::clamp(exponent, 0, 255)) << 23);
  return (v + anchor) - anchor;
}

float MultiplyAdd(float a, float b, float c) {
  const float product = a * b;
  const int exponent = std::max(ExponentField(a) + ExponentField(b) - 127, ExponentField(c));
  return Aligned(c, exponent) + Aligned(product, exponent);
}

// c - a·b from bfloat16 parts, the smallest products first.
float MultiplySubtract(float a, float b, float c) {
  const float a0 = Bf(a), a1 = Bf(a - a0), a2 = Bf(a - a0 - a1);
  const float n = -b;
  const float b0 = Bf(n), b1 = Bf(n - b0), b2 = Bf(n - b0 - b1);
  float sum = a2 * b2;
  const float factors[][2] = {{a2, b1}, {a1, b2}, {a0, b2}, {a1, b1}, {a2, b0}, {a1, b0}, {a0, b1}};
  for (const auto& [left, right] : factors) sum = MultiplyAdd(left, right, sum);
  const float largest = a0 * b0;
  const int exponent = std::max({ExponentField(a0) + ExponentField(b0) - 127, ExponentField(sum), ExponentField(c)});
  return Aligned(sum, exponent) + Aligned(c, exponent) + Aligned(largest, exponent);
}

}  // namespace

void DpuInstanceNorm(const float* x, size_t count, float scale, float bias, float epsilon, float* y) {
  float sum = 0, squares = 0;
  for (size_t i = 0; i < count; ++i) {
    const float value = Bf(x[i]);
    sum += value;
    squares = static_cast<float>(double{squares} + double{value} * double{value});
  }
  const auto share = static_cast<float>(1.0 / static_cast<double>(count));
  const float mean = sum * share;
  const float variance = MultiplySubtract(mean, mean, squares * share);
  const float inverse = Bf(std::pow(variance + epsilon, -0.5f));
  const float shift = Bf(Bf(mean) * inverse);
  const float gain = Bf(scale), offset = Bf(bias);
  for (size_t i = 0; i < count; ++i) {
    const float normal = Bf(Bf(Bf(x[i]) * inverse) - shift);
    const float scaled = gain * normal;
    y[i] = Bf(scaled + offset);
  }
}

}  // namespace preon
