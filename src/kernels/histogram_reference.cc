#include <bit>
#include <cmath>
#include <cstring>

#include "kernels/histogram.h"

namespace preon {

void CountIndices(const uint16_t* indices, size_t count, uint16_t* even, uint16_t* odd) {
  size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    uint64_t four;
    std::memcpy(&four, indices + i, sizeof(four));
    ++even[four & 0xffff];
    ++odd[four >> 16 & 0xffff];
    ++even[four >> 32 & 0xffff];
    ++odd[four >> 48];
  }
  for (; i < count; ++i) ++even[indices[i]];
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

size_t TailBinIndices(const float* x, size_t count, const RunGroups& groups, float inv_width, uint16_t* indices) {
  size_t kept = 0;
  for (size_t i = 0; i < count; ++i) {
    const size_t group = i / kStatLanes;
    if ((groups[group / 64] >> (group % 64) & 1) == 0 || std::fabs(x[i]) * inv_width < kTailBin) continue;
    BinIndices(x + i, 1, inv_width, indices + kept);
    indices[kept++] += kBins;
  }
  return kept;
}

size_t FineBins(const float* x, size_t count, float inv_width, uint32_t* words) {
  size_t kept = 0;
  for (size_t i = 0; i < count; ++i) {
    if (x[i] == 0) continue;
    const auto bits = std::bit_cast<uint32_t>(x[i]);
    const auto magnitude = std::bit_cast<float>(bits & kFineMagnitude);
    // Scaled in two steps: the product of both factors may be beyond float.
    words[kept++] = static_cast<uint32_t>(magnitude * inv_width * (1 << kFineBits)) | (bits & ~0x7fffffffu);
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
