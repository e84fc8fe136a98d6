#include "formats/half_quadratic.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace preon {
namespace {

constexpr int kSteps = 20;
constexpr size_t kBlocksPerTask = 256;
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

// A scale and a zero point with which a block of this one value is exact.
FloatGrid GridOfConstant(float value) {
  return std::abs(double{value}) < kSmallestRange ? FloatGrid{} : FloatGrid{std::abs(value), value > 0 ? -1.0F : 1.0F};
}

bool IsConstant(float low, float high) { return double{high} - double{low} < kSmallestRange; }

// A block of a matrix whose blocks all take the same number of steps. In float, as there.
class QuarkBlock {
 public:
  QuarkBlock(std::span<const float> values, float last_code) : values_(values), last_code_(last_code) {
    const auto [low, high] = std::ranges::minmax(values);
    constant_ = IsConstant(low, high);
    if (constant_) return;
    const float range = std::min(high - low, std::numeric_limits<float>::max());
    inverse_scale_ = std::min(1 / range * last_code, kLargestInverseScale);
    zero_point_ = Rounded(-low * inverse_scale_);
  }

  // To the next zero point. Returns the sum of the absolute errors with the one before.
  double Step(float beta) {
    if (constant_) return 0;
    float sum = 0;
    double errors = 0;
    for (const float value : values_) {
      const float code = CodeOf(value, inverse_scale_, zero_point_, last_code_);
      const float error = value - (code - zero_point_) / inverse_scale_;
      const float shrinkage = std::pow(std::abs(error) + kErrorFloor, static_cast<float>(kPower - 1)) / beta;
      const float outlier = std::copysign(std::max(std::abs(error) - shrinkage, 0.0F), error);
      sum += code - (value - outlier) * inverse_scale_;
      errors += double{std::abs(error)};
    }
    zero_point_ = sum / static_cast<float>(values_.size());
    return errors;
  }

  FloatGrid Grid() const { return constant_ ? GridOfConstant(values_[0]) : FloatGrid{1 / inverse_scale_, zero_point_}; }

 private:
  static constexpr float kLargestInverseScale = 2e4F, kErrorFloor = 1e-8F;

  std::span<const float> values_;
  float last_code_, inverse_scale_ = 1, zero_point_ = 0;
  bool constant_ = false;
};

}  // namespace

int CodeOnGrid(float x, const FloatGrid& grid, int bits) {
  return static_cast<int>(CodeOf(x, 1 / grid.scale, grid.zero_point, static_cast<float>((1 << bits) - 1)));
}

FloatGrid HalfQuadraticGrid(std::span<const float> values, int bits) {
  const auto [low, high] = std::ranges::minmax(values);
  const auto last_code = static_cast<float>((1 << bits) - 1);
  const double range = double{high} - double{low};
  if (IsConstant(low, high)) return GridOfConstant(low);
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

std::vector<FloatGrid> QuarkHalfQuadraticGrids(std::span<const float> values, size_t block, int bits,
                                               const ParallelFor& parallel_for) {
  std::vector<QuarkBlock> blocks;
  for (size_t first = 0; first < values.size(); first += block)
    blocks.emplace_back(values.subspan(first, block), static_cast<float>((1 << bits) - 1));
  double least = std::numeric_limits<double>::infinity(), beta = kFirstBeta;
  for (int step = 0; step < kSteps; ++step, beta *= kBetaGrowth) {
    std::vector<double> errors((blocks.size() + kBlocksPerTask - 1) / kBlocksPerTask);
    parallel_for(errors.size(), [&](size_t task) {
      const size_t end = std::min((task + 1) * kBlocksPerTask, blocks.size());
      for (size_t at = task * kBlocksPerTask; at < end; ++at) errors[task] += blocks[at].Step(static_cast<float>(beta));
    });
    const double error = std::accumulate(errors.begin(), errors.end(), 0.0);
    if (error >= least) break;
    least = error;
  }
  std::vector<FloatGrid> grids;
  for (const QuarkBlock& each : blocks) grids.push_back(each.Grid());
  return grids;
}

}  // namespace preon
