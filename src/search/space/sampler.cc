#include "search/space/sampler.h"

#include <algorithm>
#include <cmath>

namespace preon {
namespace {

// Until one is new: of the sampler, then of all.
constexpr int kMostDraws = 20, kMostRandomDraws = 200;

bool WasTried(const Point& point, std::span<const TriedPoint> tried) {
  return std::ranges::find(tried, point, &TriedPoint::point) != tried.end();
}

double DrawFrom(const Dimension& dimension, RandomNumbers& random) {
  const int64_t values = dimension.values();
  if (dimension.log)
    return dimension.Nearest(dimension.low * std::pow(dimension.high / dimension.low, random.Uniform()));
  if (values > 0) return dimension.ValueAt(random.Below(values));
  return dimension.low + random.Uniform() * (dimension.high - dimension.low);
}

class GridSampler final : public Sampler {
 public:
  std::string_view name() const override { return "grid"; }
  std::string_view summary() const override { return "every configuration, one after the other"; }
  std::optional<Point> Draw(const SearchSpace& space, std::span<const TriedPoint> tried,
                            RandomNumbers& /*random*/) const override {
    return NextInGrid(space, tried.empty() ? std::optional<Point>() : tried.back().point);
  }
};

class RandomSampler final : public Sampler {
 public:
  std::string_view name() const override { return "random"; }
  std::string_view summary() const override { return "any configuration, all as likely"; }
  std::optional<Point> Draw(const SearchSpace& space, std::span<const TriedPoint> /*tried*/,
                            RandomNumbers& random) const override {
    return AnyPoint(space, random);
  }
};

}  // namespace

std::unique_ptr<Sampler> MakeGridSampler() { return std::make_unique<GridSampler>(); }
std::unique_ptr<Sampler> MakeRandomSampler() { return std::make_unique<RandomSampler>(); }

Registry<Sampler> MakeSamplers() {
  Registry<Sampler> samplers("sampler");
  samplers.Add(MakeTpeSampler());
  samplers.Add(MakeRandomSampler());
  samplers.Add(MakeGridSampler());
  return samplers;
}

Point AnyPoint(const SearchSpace& space, RandomNumbers& random) {
  Point point(space.dimensions().size());
  for (size_t i = 0; i < point.size(); ++i) {
    if (space.IsActive(i, point)) point[i] = DrawFrom(space.dimensions()[i], random);
  }
  return point;
}

std::optional<Point> NextPoint(const Sampler& sampler, const SearchSpace& space, std::span<const TriedPoint> tried,
                               uint64_t seed) {
  RandomNumbers random(SplitMix64(seed + kSplitMixStep) + tried.size());
  for (int draw = 0; draw < kMostDraws; ++draw) {
    std::optional<Point> point = sampler.Draw(space, tried, random);
    if (!point || !WasTried(*point, tried)) return point;
  }
  for (int draw = 0; draw < kMostRandomDraws; ++draw) {
    Point point = AnyPoint(space, random);
    if (!WasTried(point, tried)) return point;
  }
  std::optional<Point> point = NextInGrid(space, {});
  while (point && WasTried(*point, tried)) point = NextInGrid(space, point);
  return point;
}

}  // namespace preon
