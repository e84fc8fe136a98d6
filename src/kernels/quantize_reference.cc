#include <algorithm>
#include <cmath>

#include "kernels/quantize.h"

namespace preon::reference {

template <typename T>
void QuantizeLinear(const float* x, size_t count, const IntCodes& codes, T* out) {
  const auto low = static_cast<double>(codes.q_min), high = static_cast<double>(codes.q_max);
  for (size_t i = 0; i < count; ++i) {
    const float steps = std::nearbyint(x[i] / codes.scale);
    // In double the sum is exact as far as it is a code of 32 bits.
    const double code = static_cast<double>(steps) + static_cast<double>(codes.zero_point);
    out[i] = static_cast<T>(std::isnan(code) ? low : std::clamp(code, low, high));
  }
}

template <typename T>
void DequantizeLinear(const T* x, size_t count, const IntCodes& codes, float* out) {
  for (size_t i = 0; i < count; ++i) out[i] = static_cast<float>(int64_t{x[i]} - codes.zero_point) * codes.scale;
}

#define PREON_INSTANTIATE(T)                                               \
  template void QuantizeLinear(const float*, size_t, const IntCodes&, T*); \
  template void DequantizeLinear(const T*, size_t, const IntCodes&, float*);
PREON_INSTANTIATE(int8_t)
PREON_INSTANTIATE(uint8_t)
PREON_INSTANTIATE(int16_t)
PREON_INSTANTIATE(uint16_t)
PREON_INSTANTIATE(int32_t)
PREON_INSTANTIATE(uint32_t)
#undef PREON_INSTANTIATE

}  // namespace preon::reference
