#include <algorithm>
#include <cmath>

#include "kernels/quantize.h"

namespace preon::reference {

template <typename T>
void QuantizeLinear(const float* x, size_t count, float scale, int32_t zero_point, int32_t q_min, int32_t q_max,
                    T* out) {
  // Clamping before rounding gives the same code, since the bounds are integers, and keeps the integer in range.
  const auto low = static_cast<float>(q_min - zero_point);
  const auto high = static_cast<float>(q_max - zero_point);
  for (size_t i = 0; i < count; ++i) {
    const float quotient = x[i] / scale;
    const float clamped = std::isnan(quotient) ? 0.0f : std::clamp(quotient, low, high);
    out[i] = static_cast<T>(static_cast<int32_t>(std::nearbyint(clamped)) + zero_point);
  }
}

template void QuantizeLinear(const float*, size_t, float, int32_t, int32_t, int32_t, int8_t*);
template void QuantizeLinear(const float*, size_t, float, int32_t, int32_t, int32_t, uint8_t*);
template void QuantizeLinear(const float*, size_t, float, int32_t, int32_t, int32_t, int16_t*);
template void QuantizeLinear(const float*, size_t, float, int32_t, int32_t, int32_t, uint16_t*);

}  // namespace preon::reference
