#include "eval/values_at_ends.h"

#include <algorithm>

namespace preon {
namespace {

constexpr double kManyAtAnEnd = 0.05;
constexpr int64_t kTimesAsMany = 10;  // as there are of the exact ones
constexpr int64_t kLeastAtAnEnd = 8;

}  // namespace

void ValuesAtEnds::Add(std::span<const double> values) {
  for (const double value : values) {
    if (all++ == 0) min = max = value;
    if (value < min) at_min = 0;
    if (value > max) at_max = 0;
    min = std::min(min, value);
    max = std::max(max, value);
    at_min += value == min;
    at_max += value == max;
  }
}

double SaturatedShare(const ValuesAtEnds& exact, const ValuesAtEnds& other) {
  double most = 0;
  for (const auto end : {&ValuesAtEnds::at_min, &ValuesAtEnds::at_max}) {
    const double share = static_cast<double>(other.*end) / static_cast<double>(std::max<int64_t>(1, other.all));
    if (other.*end >= kLeastAtAnEnd && share >= kManyAtAnEnd && other.*end >= kTimesAsMany * (exact.*end))
      most = std::max(most, share);
  }
  return most;
}

}  // namespace preon
