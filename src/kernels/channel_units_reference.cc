#include <algorithm>

#include "kernels/channel_units.h"

namespace preon::reference {

void AddUnits(const float* x, size_t count, double* sums) {
  constexpr double kRound = 0x1.8p52;  // numbers near it are whole: adding and subtracting rounds to even
  for (size_t i = 0; i < count; ++i) {
    const auto value = static_cast<double>(std::clamp(x[i], -kLargestInUnits, kLargestInUnits));
    sums[i] += value * kUnitsPerOne + kRound - kRound;
  }
}

}  // namespace preon::reference
