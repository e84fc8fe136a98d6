#include "formats/half_quadratic.h"

#include <algorithm>
#include <cmath>

namespace preon {
namespace {

constexpr int kSteps = 20;
constexpr double kPower = 0.7, kFirstBeta = 10, kBetaGrowth = 1.01;
constexpr double kSmallestRange = 1e-30;  // 1 / scale of smaller blocks would leave float

float Rounded(float x) {
  constexpr float kToInteger = 12582912;  // 1.5 · 2^23: what is added leaves no room for a fraction, ties to even
  return (x + kToInteger) - kToInteger;
}

float CodeOf(float x, float inverse_scale, float zero_point, float last_code) {
  return Rounded(std::clamp(x * inverse_scale + zero_point, 0.0F, last_code));
}

double SquaredError(std::span<const float> values, const FloatGrid& grid, float last_code) {
  const float inverse_scale = 1 / grid.scale;
  double error = 0;
  for (const float value : values) {
    const float off = value - grid.scale * (CodeOf(value, inverse_scale, grid.zero_point, last_code) - grid.zero_point);
    error += double{off} * double{off};
  }
  return error;
}

// What is taken for an outlier's: the error less its shrinkage. Errors up to `least` have none.
double Outlier(double error, double beta, double least) {
  const double size = std::abs(error);
  if (size <= least) return 0;
  return std::copysign(std::max(size - std::pow(size, kPower - 1) / beta, 0.0), error);
}

double NextZeroPoint(std::span<const float> values, const FloatGrid& grid, float last_code, double beta) {
  const float inverse_scale = 1 / grid.scale;
  const double least = std::pow(beta, 1 / (kPower - 2));  // where |d| is |d|^(p - 1) / beta
  double sum = 0;
  for (const float value : values) {
    const float code = CodeOf(value, inverse_scale, grid.zero_point, last_code);
    const double error = double{value} - double{grid.scale} * (double{code} - double{grid.zero_point});
    sum += double{code} - (double{value} - Outlier(error, beta, least)) * double{inverse_scale};
  }
  return sum / static_cast<double>(values.size());
}

}  // namespace

int CodeOnGrid(float x, const FloatGrid& grid, int bits) {
  return static_cast<int>(CodeOf(x, 1 / grid.scale, grid.zero_point, static_cast<float>((1 << bits) - 1)));
}

FloatGrid HalfQuadraticGrid(std::span<const float> values, int bits) {
  const auto [low, high] = std::ranges::minmax(values);
  const auto last_code = static_cast<float>((1 << bits) - 1);
  const double range = double{high} - double{low};
  if (range < kSmallestRange)
    return std::abs(double{low}) < kSmallestRange ? FloatGrid{} : FloatGrid{std::abs(low), low > 0 ? -1.0F : 1.0F};
  FloatGrid grid{.scale = static_cast<float>(range / double{last_code})};
  grid.zero_point = Rounded(-low / grid.scale);
  FloatGrid best = grid;
  double least = SquaredError(values, grid, last_code), beta = kFirstBeta;
  for (int step = 0; step < kSteps; ++step, beta *= kBetaGrowth) {
    const auto next = static_cast<float>(NextZeroPoint(values, grid, last_code, beta));
    if (next == grid.zero_point) break;
    grid.zero_point = next;
    const double error = SquaredError(values, grid, last_code);
    if (error >= least) break;
    least = error;
    best = grid;
  }
  return best;
}

}  // namespace preon
