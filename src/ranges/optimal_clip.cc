#include "ranges/optimal_clip.h"

#include <cmath>
#include <numbers>

namespace preon {
namespace {

/// Where a decreasing function meets a / (3 codes²). 32 bits give 42.
template <typename Function>
double Solve(double codes, const Function& decreasing) {
  double low = 0, high = 64;
  for (int step = 0; step < 60; ++step) {
    const double a = (low + high) / 2;
    (decreasing(a) > a / (3 * codes * codes) ? low : high) = a;
  }
  return low;
}

}  // namespace

double OptimalGaussianClip(double codes) {
  return Solve(codes, [](double a) {
    const double density = std::exp(-a * a / 2) / std::sqrt(2 * std::numbers::pi);
    const double above = std::erfc(a / std::numbers::sqrt2) / 2;
    return 2 * (density - a * above);
  });
}

double OptimalLaplaceClip(double codes) {
  return Solve(codes, [](double a) { return std::exp(-a); }) / std::numbers::sqrt2;
}

}  // namespace preon
