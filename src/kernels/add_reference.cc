#include "kernels/add.h"

namespace preon::reference {

void AddFloats(const float* a, const float* b, size_t count, float* sum) {
  for (size_t i = 0; i < count; ++i) sum[i] = a[i] + b[i];
}

}  // namespace preon::reference
