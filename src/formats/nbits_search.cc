#include "formats/nbits_search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>

#include "kernels/block_scale.h"
#include "kernels/extremes.h"

namespace preon {
namespace {

constexpr int kMaxSweptBits = 4;
static_assert((1 << kMaxSweptBits) - 1 == kMostScaledCodes);
// Of the codes at the end that they first suffice for: grids whose extremes need fewer, or more than this of all codes,
// are not tried.
constexpr float kLeastUse = 0.5, kLargestUse = 2.5;

int LastCode(int bits) { return (1 << bits) - 1; }

// Away from zero at ties, as the runtime's quantizer rounds.
int RoundHalfAway(float x, int bits) {
  return static_cast<int>(std::roundf(std::clamp(x, 0.0f, static_cast<float>(LastCode(bits)))));
}

struct Extremes {
  float low, high;
};

Extremes ExtremesWithZero(std::span<const float> values) {
  Extremes extremes{0, 0};
  RunExtremes(values.data(), values.size(), &extremes.low, &extremes.high);
  return {extremes.low + 0.0f, extremes.high + 0.0f};  // no -0
}

NBitsGrid GridOf(const Extremes& extremes, int bits, bool symmetric) {
  const auto [low, high] = extremes;
  const int middle = 1 << (bits - 1);
  if (symmetric) {
    const float farthest = high > -low ? high : low;
    return {farthest / -static_cast<float>(middle), middle};
  }
  const float scale = (high - low) / static_cast<float>(LastCode(bits));
  return {scale, scale == 0 ? 0 : RoundHalfAway(-low / scale, bits)};
}

// The grids of one block that can be better than one that is known.
class ScaleSweep {
 public:
  ScaleSweep(std::span<const float> values, std::span<const float> importance, const Extremes& extremes, int last_code)
      : values_(values),
        importance_(importance),
        range_(extremes.high - extremes.low),
        above_(extremes.high / range_),
        below_(-extremes.low / range_),
        last_code_(last_code) {
    // Products of tiny values would be 0.
    for (size_t i = 0; i < values.size(); ++i) magnitudes_[i] = std::fabs(values[i] / range_);
    if (importance.empty()) return;
    counts_above_ = counts_below_ = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      if (values[i] == extremes.high) counts_above_ = std::max(counts_above_, importance[i]);
      if (values[i] == extremes.low) counts_below_ = std::max(counts_below_, importance[i]);
    }
  }

  /// The one with which the finest grid still covers both extremes.
  int RoomiestZeroPoint() const {
    const auto finest = [this](int zero_point) {
      const Ends rooms = RoomsOf(zero_point);
      return std::min((rooms.above + 0.5f) / above_, (rooms.below + 0.5f) / below_);
    };
    int roomiest = 0;
    for (int zero_point = 1; zero_point <= last_code_; ++zero_point)
      if (finest(zero_point) > finest(roomiest)) roomiest = zero_point;
    return roomiest;
  }

  /// The best scale for the zero point; 0 where none can be better than a grid of that error.
  /// @param with_unused  with scales, too, that leave codes unused at one end: if nothing is cut off at the other one,
  /// the roomiest zero point gives the same, else another zero point cuts off less
  float BestScale(int zero_point, double known_error, bool with_unused = true) {
    const auto [above, below] = RoomsOf(zero_point);
    // Beyond, what a grid cuts off of the extremes is alone worse than the known grid.
    const auto spared = [&](float counts) { return static_cast<float>(std::sqrt(known_error / counts)) / range_; };
    const float spared_above = spared(counts_above_), spared_below = spared(counts_below_);
    const auto codes = static_cast<float>(last_code_);
    ScaleBounds bounds = {kLeastUse * std::min({codes, above / above_, below / below_}), kLargestUse * codes};
    if (above_ > spared_above) bounds.finest = std::min(bounds.finest, above / (above_ - spared_above));
    if (below_ > spared_below) bounds.finest = std::min(bounds.finest, below / (below_ - spared_below));
    constexpr float kInFrontOfTie = 1 - 1e-4f;
    if (!with_unused)
      bounds.coarsest =
          std::max({bounds.coarsest, kInFrontOfTie * (above - 0.5f) / above_, kInFrontOfTie * (below - 0.5f) / below_});
    if (bounds.finest <= bounds.coarsest) return 0;
    for (size_t i = 0; i < values_.size(); ++i) rooms_[i] = values_[i] > 0 ? above : below;
    const std::span rooms = std::span(rooms_).first(values_.size());
    return BestBlockScale(std::span(magnitudes_).first(values_.size()), rooms, bounds, importance_) * range_;
  }

 private:
  struct Ends {
    float above, below;  // codes there
  };
  Ends RoomsOf(int zero_point) const {
    return {static_cast<float>(last_code_ - zero_point), static_cast<float>(zero_point)};
  }

  std::span<const float> values_, importance_;
  float range_, above_, below_;                // the ends as shares of the range
  float counts_above_ = 1, counts_below_ = 1;  // what errors of the extremes count
  int last_code_;
  std::array<float, kLargestScaledBlock> magnitudes_, rooms_;
};

// Codes of values on one grid.
class Coder {
 public:
  Coder(const NBitsGrid& grid, int bits)
      : inverse_(grid.scale == 0 ? 0 : 1 / double{grid.scale}), zero_point_(grid.zero_point), last_(LastCode(bits)) {}
  // Without the zero point, as a floating point number.
  double Steps(float value) const {
    constexpr double kToInteger = 0x1.8p52;  // leaves no room for a fraction: sums are rounded to even
    return std::clamp((value * inverse_ + kToInteger) - kToInteger, -zero_point_, last_ - zero_point_);
  }

 private:
  double inverse_, zero_point_, last_;
};

}  // namespace

void CodesOnGrid(std::span<const float> values, const NBitsGrid& grid, int bits, std::span<uint32_t> codes) {
  const Coder coder(grid, bits);
  for (size_t i = 0; i < values.size(); ++i)
    codes[i] = static_cast<uint32_t>(static_cast<int>(coder.Steps(values[i])) + grid.zero_point);
}

double GridError(std::span<const float> values, const NBitsGrid& grid, int bits, std::span<const float> importance) {
  const Coder coder(grid, bits);
  double error = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const double off = double{values[i]} - double{grid.scale} * coder.Steps(values[i]);
    error += importance.empty() ? off * off : off * off * double{importance[i]};
  }
  return error;
}

NBitsGrid MinMaxGrid(std::span<const float> values, int bits, bool symmetric) {
  return GridOf(ExtremesWithZero(values), bits, symmetric);
}

NBitsGrid LeastSquaresGrid(std::span<const float> values, int bits, bool symmetric, std::span<const float> importance) {
  const Extremes extremes = ExtremesWithZero(values);
  NBitsGrid best = GridOf(extremes, bits, symmetric);
  double error = GridError(values, best, bits, importance);
  const auto offer = [&](const NBitsGrid& grid) {
    if (grid.scale == 0) return;
    const double other = GridError(values, grid, bits, importance);
    if (other < error) std::tie(best, error) = std::tuple(grid, other);
  };
  const float range = extremes.high - extremes.low;
  // 1 / scale of smaller blocks would leave float.
  constexpr float kSmallestRange = 1e-30f;
  if (error == 0 || !(range >= kSmallestRange && range <= std::numeric_limits<float>::max())) return best;
  if (bits > kMaxSweptBits) {
    constexpr int kSteps = 20;
    const NBitsGrid minmax = best;
    for (int step = 1; step <= kSteps; ++step)
      offer({minmax.scale * (1.0f - 0.01f * static_cast<float>(step)), minmax.zero_point});
    return best;
  }
  ScaleSweep sweep(values, importance, extremes, LastCode(bits));
  if (symmetric) {
    const int middle = 1 << (bits - 1);
    offer({sweep.BestScale(middle, error), middle});
    // A zero point one lower leaves the codes of the mirrored values: a negative scale.
    offer({-sweep.BestScale(middle - 1, error), middle});
  } else {
    const int roomiest = sweep.RoomiestZeroPoint();
    for (int zero_point = 0; zero_point <= LastCode(bits); ++zero_point)
      offer({sweep.BestScale(zero_point, error, zero_point == roomiest), zero_point});
  }
  return best;
}

}  // namespace preon
