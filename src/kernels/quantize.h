// Float to integer codes and back, vectorized, with a scalar reference.
#pragma once

#include <cstddef>
#include <cstdint>

namespace preon {

/// The map from codes to values, and the codes in use: those of T, or fewer.
struct IntCodes {
  float scale = 1;
  int64_t zero_point = 0;
  int64_t q_min = 0, q_max = 0;
};

/// out[i] = clamp(round-half-even(x[i] / scale) + zero_point, q_min, q_max), the quotient in float as in ONNX
/// QuantizeLinear. NaN gives q_min, as in ONNX Runtime. T: int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t.
template <typename T>
void QuantizeLinear(const float* x, size_t count, const IntCodes& codes, T* out);

/// out[i] = float(x[i] - zero_point) · scale, the difference exact. The same types.
template <typename T>
void DequantizeLinear(const T* x, size_t count, const IntCodes& codes, float* out);

namespace reference {
template <typename T>
void QuantizeLinear(const float* x, size_t count, const IntCodes& codes, T* out);
template <typename T>
void DequantizeLinear(const T* x, size_t count, const IntCodes& codes, float* out);
}  // namespace reference

}  // namespace preon
