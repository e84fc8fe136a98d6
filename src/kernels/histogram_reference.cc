#include <cmath>
#include <cstring>

#include "kernels/histogram.h"

namespace preon {

void CountIndices(const uint16_t* indices, size_t count, uint16_t (*counts)[kBins]) {
  size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    uint64_t four;
    std::memcpy(&four, indices + i, sizeof(four));
    ++counts[0][four & 0xffff];
    ++counts[1][four >> 16 & 0xffff];
    ++counts[0][four >> 32 & 0xffff];
    ++counts[1][four >> 48];
  }
  for (; i < count; ++i) ++counts[i % 2][indices[i]];
}

namespace reference {

size_t BinIndices(const float* x, size_t count, float inv_width, uint16_t* indices) {
  size_t kept = 0;
  for (size_t i = 0; i < count; ++i) {
    if (x[i] == 0) continue;
    const auto bin = static_cast<uint16_t>(std::fabs(x[i]) * inv_width);
    indices[kept++] = static_cast<uint16_t>(bin + (std::signbit(x[i]) ? kBinsPerSign : 0));
  }
  return kept;
}

size_t SelectLarge(const float* x, size_t count, float min_magnitude, float* out) {
  size_t kept = 0;
  for (size_t i = 0; i < count; ++i) {
    if (std::fabs(x[i]) >= min_magnitude) out[kept++] = x[i];
  }
  return kept;
}

void FoldCounts(const uint16_t* a, const uint16_t* b, size_t count, uint32_t weight, uint32_t* total) {
  for (size_t i = 0; i < count; ++i) total[i] += weight * (uint32_t{a[i]} + b[i]);
}

}  // namespace reference

}  // namespace preon
