#include <algorithm>
#include <cmath>

#include "kernels/extremes.h"

namespace preon::reference {

void RunExtremes(const float* x, size_t count, float* min, float* max) { ColumnExtremes(x, count, 1, min, max); }

void ColumnExtremes(const float* x, size_t rows, size_t columns, float* min, float* max) {
  for (size_t row = 0; row < rows; ++row) {
    for (size_t column = 0; column < columns; ++column) {
      const float value = x[row * columns + column];
      if (!std::isfinite(value)) continue;
      min[column] = std::min(min[column], value);
      max[column] = std::max(max[column], value);
    }
  }
}

}  // namespace preon::reference
