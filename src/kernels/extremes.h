// Minimum and maximum of finite values, of a run or per column of a matrix: the loops behind per-channel extremes.
#pragma once

#include <cstddef>

namespace preon {

/// *min = min(*min, finite x[i]), *max likewise; NaN and infinities are left out. -0 may stand for 0.
void RunExtremes(const float* x, size_t count, float* min, float* max);
/// The same for each column of the row-major matrix x[rows][columns].
void ColumnExtremes(const float* x, size_t rows, size_t columns, float* min, float* max);

namespace reference {
void RunExtremes(const float* x, size_t count, float* min, float* max);
void ColumnExtremes(const float* x, size_t rows, size_t columns, float* min, float* max);
}  // namespace reference

}  // namespace preon
