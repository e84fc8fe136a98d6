#include "search/space/sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

namespace preon {
namespace {

SearchSpace SpaceOf(const std::string& text) {
  Result<SearchSpace> space = SearchSpace::Parse(nlohmann::json::parse(text));
  EXPECT_TRUE(space.ok()) << space.status().message();
  return *std::move(space);
}

const Sampler& Named(std::string_view name) {
  static const Registry<Sampler> samplers = MakeSamplers();
  return **samplers.Find(name);
}

// The points that a search tries, with what `loss` says of them.
template <typename Loss>
std::vector<TriedPoint> Search(const Sampler& sampler, const SearchSpace& space, size_t count, const Loss& loss,
                               uint64_t seed = 0, std::vector<TriedPoint> tried = {}) {
  while (tried.size() < count) {
    const std::optional<Point> point = NextPoint(sampler, space, tried, seed);
    if (!point) break;
    tried.push_back({*point, loss(*point)});
  }
  return tried;
}

std::vector<Point> PointsOf(const std::vector<TriedPoint>& tried) {
  std::vector<Point> points;
  for (const TriedPoint& each : tried) points.push_back(each.point);
  return points;
}

constexpr const char* kMixed = R"({"a": [1, 2, 3, 4], "b": {"type": "float", "low": 0.001, "high": 10, "log": true},
                                   "c": {"type": "int", "low": 0, "high": 20},
                                   "d": {"only_if": {"a": 2}, "e": {"type": "float", "low": 0, "high": 1}}})";

// Best at a = 3, b = 0.1, c = 15.
double Bowl(const Point& point) {
  return std::abs(*point[0] - 2) + std::abs(std::log10(*point[1] / 0.1)) + std::abs(*point[2] - 15) / 5;
}

TEST(Sampler, EveryPointIsOfTheSpace) {
  const SearchSpace space = SpaceOf(kMixed);
  for (const char* name : {"random", "tpe"}) {
    for (const TriedPoint& each : Search(Named(name), space, 80, Bowl)) {
      for (size_t i = 0; i < each.point.size(); ++i) {
        ASSERT_EQ(each.point[i].has_value(), space.IsActive(i, each.point));
        if (!each.point[i]) continue;
        const Dimension& dimension = space.dimensions()[i];
        const double low = dimension.choices > 0 ? 0 : dimension.low;
        const double high = dimension.choices > 0 ? static_cast<double>(dimension.choices) - 1 : dimension.high;
        EXPECT_GE(*each.point[i], low) << dimension.name;
        EXPECT_LE(*each.point[i], high) << dimension.name;
        if (dimension.values() > 0) {
          EXPECT_EQ(*each.point[i], std::round(*each.point[i])) << dimension.name;
        }
      }
    }
  }
}

TEST(Sampler, NoPointComesTwiceAndASmallSpaceIsTriedWhole) {
  const SearchSpace space =
      SpaceOf(R"({"a": [1, 2, 3], "b": [1, 2, 3, 4], "c": {"choices": [1, 2], "only_if": {"a": 2}}})");
  for (const char* name : {"random", "tpe", "grid"}) {
    const std::vector<Point> points = PointsOf(Search(Named(name), space, 100, [](const Point&) { return 1.0; }));
    EXPECT_EQ(points.size(), 16u) << name;
    EXPECT_EQ(std::set<Point>(points.begin(), points.end()).size(), 16u) << name;
  }
}

TEST(Sampler, GoingOnGivesTheSamePoints) {
  const SearchSpace space = SpaceOf(kMixed);
  for (const char* name : {"random", "tpe"}) {
    const std::vector<TriedPoint> whole = Search(Named(name), space, 40, Bowl, 7);
    const std::vector<TriedPoint> part = Search(Named(name), space, 17, Bowl, 7);
    EXPECT_EQ(PointsOf(Search(Named(name), space, 40, Bowl, 7, part)), PointsOf(whole)) << name;
    EXPECT_NE(PointsOf(Search(Named(name), space, 40, Bowl, 8)), PointsOf(whole)) << name;
  }
}

TEST(Sampler, TpeFindsBetterPointsThanChance) {
  const SearchSpace space = SpaceOf(kMixed);
  int wins = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const auto best = [&](const char* name) {
      double least = 100;
      for (const TriedPoint& each : Search(Named(name), space, 60, Bowl, seed)) least = std::min(least, *each.loss);
      return least;
    };
    wins += best("tpe") < best("random") ? 1 : 0;
  }
  EXPECT_GE(wins, 16);
}

TEST(Sampler, PointsThatGaveNoModelAreKeptAwayFrom) {
  const SearchSpace space = SpaceOf(R"({"a": [1, 2, 3, 4], "b": {"type": "float", "low": 0, "high": 1}})");
  std::vector<TriedPoint> tried;
  int failed = 0;
  for (int i = 0; i < 60; ++i) {
    const std::optional<Point> point = NextPoint(Named("tpe"), space, tried, 0);
    ASSERT_TRUE(point);
    const bool fails = *(*point)[0] == 0;
    if (i >= 30) failed += fails ? 1 : 0;
    tried.push_back({*point, fails ? std::optional<double>() : *(*point)[1]});
  }
  EXPECT_LE(failed, 4);  // a quarter would be 7
}

}  // namespace
}  // namespace preon
