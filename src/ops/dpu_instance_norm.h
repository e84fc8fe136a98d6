// Instance normalization as a bfloat16 NPU kernel computes it: ExtendedInstanceNormalization.
#pragma once

#include <cstddef>

namespace preon {

/// Normalizes one channel of one sample. Every product, sum and power is one float32 operation in the kernel's order.
/// @param count  > 0; `y` may be `x`
void DpuInstanceNorm(const float* x, size_t count, float scale, float bias, float epsilon, float* y);

}  // namespace preon
