#include "formats/compat/compat_power_of_two.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "formats/compat/numpy_math.h"

namespace preon::compat {

PowerOfTwoCandidates CandidatesAround(Range observed, const IntFormat& format) {
  const Params params = ParamsOf(observed, format, ScaleType::kPowerOfTwo);
  PowerOfTwoCandidates candidates{format, params.zero_point, {}};
  for (int step = 0; step < 5; ++step)
    candidates.scales[static_cast<size_t>(step)] = std::ldexp(1.0f, -(PositionOf(params.scale) + step - 1));
  return candidates;
}

void AddSquareErrors(std::span<const float> batch, const PowerOfTwoCandidates& candidates, CandidateErrors& errors) {
  // Those of the symmetric codes, also where the parameters are those of all codes.
  const auto [q_min, q_max] = CodesOf({candidates.format.type, true});
  const auto low = static_cast<float>(q_min - candidates.zero_point),
             high = static_cast<float>(q_max - candidates.zero_point);
  std::vector<float> squares(batch.size());
  for (size_t index = 0; index < errors.size(); ++index) {
    const float scale = candidates.scales[index];
    std::transform(batch.begin(), batch.end(), squares.begin(), [&](float value) {
      const float difference = value - std::clamp(std::nearbyint(value / scale), low, high) * scale;
      return difference * difference;
    });
    errors[index] += PairwiseSum(squares);
  }
}

PowerOfTwoChoice BestOf(const PowerOfTwoCandidates& candidates, const CandidateErrors& errors) {
  size_t best = 0;  // also where an error is no number
  for (size_t index = 1; index < errors.size(); ++index) {
    if (errors[index] < errors[best]) best = index;
  }
  const float scale = candidates.scales[best];
  const auto value = [&](int64_t code) {
    return static_cast<float>(static_cast<double>(code - candidates.zero_point) * static_cast<double>(scale));
  };
  const auto [q_min, q_max] = CodesOf(candidates.format);
  return {{scale, candidates.zero_point}, {value(q_min), value(q_max)}};
}

}  // namespace preon::compat
