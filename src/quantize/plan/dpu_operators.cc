#include "quantize/plan/dpu_operators.h"

#include <cmath>

namespace preon {

bool IsDpuHardSigmoid(const Node& node) {
  constexpr double kTolerance = 1e-6;
  const auto is = [&](const char* attribute, float fallback, double wanted) {
    return std::abs(double{node.Float(attribute, fallback)} - wanted) <= kTolerance;
  };
  return node.Is("HardSigmoid") && node.Has("alpha") && is("alpha", 0.2f, 1.0 / 6) && is("beta", 0.5f, 0.5);
}

}  // namespace preon
