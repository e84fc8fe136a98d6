#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>

#include "kernels/sigmoid.h"

namespace preon::reference {
using namespace internal;  // NOLINT(google-build-using-namespace): the constants of the same formula

void Sigmoids(const float* x, size_t count, float* out) {
  for (size_t i = 0; i < count; ++i) {
    const float exponent = std::clamp(-x[i], -kLargestExponent, kLargestExponent);
    const float octaves = exponent * kLog2E + kRoundToWhole - kRoundToWhole;
    const float rest = exponent - octaves * kLn2High - octaves * kLn2Low;
    float power = kExpPolynomial[0];
    for (size_t term = 1; term < std::size(kExpPolynomial); ++term) power = power * rest + kExpPolynomial[term];
    power = power * rest * rest + rest + 1;
    const auto scale = std::bit_cast<float>((static_cast<int32_t>(octaves) + kFloatBias) << kFloatMantissaBits);
    out[i] = 1 / (1 + power * scale);
  }
}

}  // namespace preon::reference
