#include "formats/nbits_search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace preon {
namespace {

constexpr int kMaxSweptBits = 4;
// Of the codes: grids whose extremes need fewer, or more than this, are not tried.
constexpr double kLeastUse = 0.5, kLargestUse = 2.5;

int LastCode(int bits) { return (1 << bits) - 1; }

// Away from zero at ties, as the runtime's quantizer rounds.
int RoundHalfAway(float x, int bits) {
  return static_cast<int>(std::roundf(std::clamp(x, 0.0f, static_cast<float>(LastCode(bits)))));
}

// One code moves away from zero when 1 / scale passes `at`.
struct Step {
  float at;
  float magnitude;  // of the value
  int16_t from;     // |code - zero point| before
  bool positive;
};

// <w, c> and <c, c> at the present 1 / scale, for the zero points first, first + 1, … of kLanes.
template <int kLanes>
struct Sums {
  int first, last_code;
  alignas(64) std::array<float, kLanes> dot{}, squares{}, best_dot{}, best_squares{};

  Sums(int first_zero_point, int last) : first(first_zero_point), last_code(last) { best_squares.fill(1); }

  // A zero point z leaves codes 0 … last - z to positive values, z to negative ones.
  int Room(int lane, bool positive) const { return positive ? last_code - first - lane : first + lane; }

  void Start(float value, float inverse_scale) {
    const float magnitude = std::fabs(value);
    const int wanted = static_cast<int>(magnitude * inverse_scale + 0.5f);
    for (int lane = 0; lane < kLanes; ++lane) {
      const auto code = static_cast<float>(std::min(wanted, Room(lane, value > 0)));
      dot[lane] += magnitude * code;
      squares[lane] += code * code;
    }
  }

  void Add(const Step& step) {
    const auto grown = static_cast<float>(2 * step.from + 1);
    for (int lane = 0; lane < kLanes; ++lane) {
      const float moves = step.from < Room(lane, step.positive) ? 1.0f : 0.0f;
      dot[lane] += moves * step.magnitude;
      squares[lane] += moves * grown;
    }
  }

  // <w, c>² / <c, c> is to be large; compared without dividing.
  void Score() {
    for (int lane = 0; lane < kLanes; ++lane) {
      const bool better = dot[lane] * dot[lane] * best_squares[lane] > best_dot[lane] * best_dot[lane] * squares[lane];
      best_dot[lane] = better ? dot[lane] : best_dot[lane];
      best_squares[lane] = better ? squares[lane] : best_squares[lane];
    }
  }
};

// By `at`, which lie in [first_at, last_at] and are spread over it: into buckets, then each among its neighbours.
void SortSteps(std::vector<Step>& steps, float first_at, float last_at) {
  constexpr size_t kBuckets = 256;
  const float per_at = static_cast<float>(kBuckets - 1) / (last_at - first_at);
  const auto bucket_of = [&](const Step& step) {
    return static_cast<size_t>(std::clamp((step.at - first_at) * per_at, 0.0f, static_cast<float>(kBuckets - 1)));
  };
  std::array<uint16_t, kBuckets + 1> begin{};
  for (const Step& step : steps) ++begin[bucket_of(step) + 1];
  for (size_t bucket = 1; bucket <= kBuckets; ++bucket) begin[bucket] += begin[bucket - 1];
  std::vector<Step> sorted(steps.size());
  for (const Step& step : steps) sorted[begin[bucket_of(step)]++] = step;
  for (size_t i = 1; i < sorted.size(); ++i) {
    const Step step = sorted[i];
    size_t to = i;
    for (; to > 0 && step.at < sorted[to - 1].at; --to) sorted[to] = sorted[to - 1];
    sorted[to] = step;
  }
  steps = std::move(sorted);
}

// Scale of the least error on the way, by zero point; 0 where there is none.
template <int kLanes>
std::array<float, kLanes> SweepScales(std::span<const float> values, int bits, float range, int first_zero_point) {
  const int last = LastCode(bits);
  const auto first_at = static_cast<float>(kLeastUse * last), last_at = static_cast<float>(kLargestUse * last);
  Sums<kLanes> sums(first_zero_point, last);
  std::vector<Step> steps;
  steps.reserve(values.size() * static_cast<size_t>(last));
  for (const float unscaled : values) {
    const float value = unscaled / range, magnitude = std::fabs(value);  // products of tiny ones would be 0
    sums.Start(value, first_at);
    const int room = std::max(sums.Room(0, value > 0), sums.Room(kLanes - 1, value > 0));
    for (int code = static_cast<int>(magnitude * first_at + 0.5f); code < room; ++code) {
      const float at = (static_cast<float>(code) + 0.5f) / magnitude;
      if (!(at <= last_at)) break;
      steps.push_back({at, magnitude, static_cast<int16_t>(code), value > 0});
    }
  }
  SortSteps(steps, first_at, last_at);
  sums.Score();
  for (const Step& step : steps) {
    sums.Add(step);
    sums.Score();
  }
  std::array<float, kLanes> scales;
  for (int lane = 0; lane < kLanes; ++lane) scales[lane] = sums.best_dot[lane] / sums.best_squares[lane] * range;
  return scales;
}

struct Best {
  NBitsGrid grid;
  double error;
  void Offer(std::span<const float> values, const NBitsGrid& other, int bits) {
    const double other_error = GridError(values, other, bits);
    if (other_error < error) *this = {other, other_error};
  }
};

}  // namespace

int CodeOnGrid(float x, const NBitsGrid& grid, int bits) {
  if (grid.scale == 0) return grid.zero_point;
  // Adding 1.5 * 2^52 leaves no room for a fraction: the sum is rounded to an integer, ties to even.
  constexpr double kToInteger = 0x1.8p52;
  const double bounded = std::clamp(double{x} / double{grid.scale}, -1024.0, 1024.0);
  const auto code = static_cast<int>((bounded + kToInteger) - kToInteger) + grid.zero_point;
  return std::clamp(code, 0, LastCode(bits));
}

double GridError(std::span<const float> values, const NBitsGrid& grid, int bits) {
  double error = 0;
  for (const float value : values) {
    const double off = double{value} - double{grid.scale} * (CodeOnGrid(value, grid, bits) - grid.zero_point);
    error += off * off;
  }
  return error;
}

NBitsGrid MinMaxGrid(std::span<const float> values, int bits, bool symmetric) {
  const auto [low, high] = std::ranges::minmax(values);
  const int middle = 1 << (bits - 1);
  if (symmetric) {
    const float farthest = std::fabs(high) > std::fabs(low) ? high : low;
    return {farthest / -static_cast<float>(middle), middle};
  }
  const float below = std::min(low, 0.0f), above = std::max(high, 0.0f);
  const float scale = (above - below) / static_cast<float>(LastCode(bits));
  return {scale, scale == 0 ? 0 : RoundHalfAway(-below / scale, bits)};
}

NBitsGrid LeastSquaresGrid(std::span<const float> values, int bits, bool symmetric) {
  const NBitsGrid minmax = MinMaxGrid(values, bits, symmetric);
  Best best{minmax, GridError(values, minmax, bits)};
  const auto [low, high] = std::ranges::minmax(values);
  const float range = std::max(high, 0.0f) - std::min(low, 0.0f);
  // 1 / scale of smaller blocks would leave float.
  constexpr float kSmallestRange = 1e-30f;
  if (best.error == 0 || !(range >= kSmallestRange && range <= std::numeric_limits<float>::max())) return best.grid;
  if (bits > kMaxSweptBits) {
    constexpr int kSteps = 20;
    for (int step = 1; step <= kSteps; ++step)
      best.Offer(values, {minmax.scale * (1.0f - 0.01f * static_cast<float>(step)), minmax.zero_point}, bits);
    return best.grid;
  }
  const int middle = 1 << (bits - 1);
  if (symmetric) {
    // A zero point one lower leaves the codes of the mirrored values: a negative scale.
    const std::array<float, 2> scales = SweepScales<2>(values, bits, range, middle - 1);
    best.Offer(values, {scales[1], middle}, bits);
    best.Offer(values, {-scales[0], middle}, bits);
  } else {
    const std::array<float, 1 << kMaxSweptBits> scales = SweepScales<1 << kMaxSweptBits>(values, bits, range, 0);
    for (int zero_point = 0; zero_point <= LastCode(bits); ++zero_point)
      best.Offer(values, {scales[zero_point], zero_point}, bits);
  }
  return best.grid;
}

}  // namespace preon
