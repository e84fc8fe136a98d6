// Sigmoids of runs of floats.
#pragma once

#include <cstddef>

namespace preon {

/// out[i] = 1 / (1 + exp(-x[i])), x finite; relative error below 2^-21. In place is fine. Every instruction set gives
/// the same bits: no fused multiply-adds. Cost: about 1 ns per element with AVX-512. Source: exp by range reduction and
/// the polynomial of Cephes (expf).
void Sigmoids(const float* x, size_t count, float* out);

namespace reference {
void Sigmoids(const float* x, size_t count, float* out);
}  // namespace reference

namespace internal {
inline constexpr float kLargestExponent = 87;  // beyond, exp or its inverse is no normal float
inline constexpr float kLog2E = 1.44269504f;
inline constexpr float kLn2High = 0.693359375f, kLn2Low = -2.12194440e-4f;
inline constexpr float kRoundToWhole = 0x1.8p23f;  // numbers near it are whole: adding and subtracting rounds to even
inline constexpr float kExpPolynomial[] = {1.9875691500e-4f, 1.3981999507e-3f, 8.3334519073e-3f,
                                           4.1665795894e-2f, 1.6666665459e-1f, 5.0000001201e-1f};
inline constexpr int kFloatBias = 127, kFloatMantissaBits = 23;
}  // namespace internal

}  // namespace preon
