#include "eval/values_at_ends.h"

#include <algorithm>

namespace preon {
namespace {

constexpr double kManyAtAnEnd = 0.05;
constexpr int64_t kTimesAsMany = 10;  // as there are of the exact ones
constexpr int64_t kLeastAtAnEnd = 8;

}  // namespace

void ValuesAtEnds::Add(std::span<const double> values) {
  if (values.empty()) return;
  if (all == 0) min = max = values[0];
  double lowest = min, highest = max;
  for (const double value : values) {
    lowest = std::min(lowest, value);
    highest = std::max(highest, value);
  }
  if (lowest < min) at_min = 0;
  if (highest > max) at_max = 0;
  all += std::ssize(values);
  min = lowest;
  max = highest;
  for (const double value : values) {
    at_min += value == lowest;
    at_max += value == highest;
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
