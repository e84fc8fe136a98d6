// Float to integer codes, vectorized, with a scalar reference.
#pragma once

#include <cstddef>
#include <cstdint>

namespace preon {

/// out[i] = clamp(round-half-even(x[i] / scale) + zero_point, q_min, q_max), the quotient in float as in ONNX
/// QuantizeLinear. NaN gives zero_point. T: int8_t, uint8_t, int16_t, uint16_t.
template <typename T>
void QuantizeLinear(const float* x, size_t count, float scale, int32_t zero_point, int32_t q_min, int32_t q_max,
                    T* out);

namespace reference {
template <typename T>
void QuantizeLinear(const float* x, size_t count, float scale, int32_t zero_point, int32_t q_min, int32_t q_max,
                    T* out);
}  // namespace reference

}  // namespace preon
