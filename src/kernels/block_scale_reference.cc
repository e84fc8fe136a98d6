#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/block_scale.h"

namespace preon::reference {

float BestBlockScale(std::span<const float> magnitudes, std::span<const float> rooms, const ScaleBounds& bounds,
                     std::span<const float> importance) {
  std::vector<float> inverses = {bounds.coarsest};
  for (size_t i = 0; i < magnitudes.size(); ++i) {
    const float behind = internal::kBehindTie / magnitudes[i];
    for (float code = 0; code < rooms[i]; ++code) {
      const float inverse = (code + 0.5f) * behind;
      if (inverse > bounds.coarsest && inverse <= bounds.finest) inverses.push_back(inverse);
    }
  }
  float best = 0, scale = 0;
  for (const float inverse : inverses) {
    float dot = 0, squares = 0;
    for (size_t i = 0; i < magnitudes.size(); ++i) {
      const float code = std::min(std::nearbyint(magnitudes[i] * inverse), rooms[i]);
      const float counted = importance.empty() ? code : code * importance[i];
      dot += magnitudes[i] * counted;
      squares += code * counted;
    }
    const float own_scale = squares == 0 ? 0 : dot / squares, gain = dot * own_scale;
    if (gain > best || (gain == best && own_scale < scale)) {
      best = gain;
      scale = own_scale;
    }
  }
  return scale;
}

}  // namespace preon::reference
