// Element-wise sum of two float runs.
#pragma once

#include <cstddef>

namespace preon {

/// sum[i] = a[i] + b[i], rounded to nearest; `sum` may be `a` or `b`. Of two NaN, either may be handed on.
void AddFloats(const float* a, const float* b, size_t count, float* sum);

namespace reference {
void AddFloats(const float* a, const float* b, size_t count, float* sum);
}  // namespace reference

}  // namespace preon
