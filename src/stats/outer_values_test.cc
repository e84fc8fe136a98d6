#include "stats/outer_values.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>

#include "stats/sketch_testing.h"
#include "stats/tensor_histogram.h"
#include "stats/value_counts.h"

namespace preon {
namespace {

constexpr SketchConfig kExact{.mode = SketchMode::kExact};

/// By the definition, over the raw values: magnitude -> how often positive, how often negative.
std::map<double, std::pair<double, double>> BruteForcePoints(const std::vector<float>& values) {
  std::map<double, std::pair<double, double>> points;
  for (const float value : values) {
    if (value == 0 || !std::isfinite(value)) continue;
    auto& [positive, negative] = points[std::fabs(value)];
    (value > 0 ? positive : negative) += 1;
  }
  if (points.size() <= OuterValues::kFew) return points;
  while (points.size() > OuterValues::kOuter) points.erase(points.begin());
  return points;
}

void ExpectPointsOf(const std::vector<float>& values, const TensorSketch& sketch) {
  const auto wanted = BruteForcePoints(values);
  const std::vector<Histogram::Point> points = sketch.ReadHistogram().points;
  ASSERT_EQ(points.size(), wanted.size());
  auto want = wanted.begin();
  for (const Histogram::Point& point : points) {
    ASSERT_EQ(point.magnitude, want->first);
    ASSERT_EQ(std::pair(point.positive, point.negative), want->second) << point.magnitude;
    ++want;
  }
}

/// `distinct` magnitudes, each often and with both signs.
std::vector<float> Levels(size_t distinct, size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) {
    const auto level = static_cast<float>(i < distinct ? i : random() % distinct);
    values[i] = (level + 1) * (random() % 2 == 0 ? 0.1f : -0.1f);
  }
  std::shuffle(values.begin(), values.end(), random);
  return values;
}

TEST(OuterValues, AreAllOfATensorWithFewDistinctValues) {
  for (const size_t distinct : {size_t{1}, size_t{255}, OuterValues::kFew - 1, OuterValues::kFew}) {
    const std::vector<float> values = Levels(distinct, 50000, 1);
    TensorSketch sketch(kExact);
    sketch.Update(values);
    ExpectPointsOf(values, sketch);
    EXPECT_EQ(sketch.ReadHistogram().points.size(), distinct);
  }
}

TEST(OuterValues, AreTheOutermostOfMany) {
  for (const size_t distinct : {OuterValues::kFew + 1, size_t{5000}, size_t{40000}}) {
    const std::vector<float> values = Levels(distinct, 50000, 2);
    TensorSketch sketch(kExact);
    sketch.Update(values);
    ExpectPointsOf(values, sketch);
  }
  for (uint32_t seed = 0; seed < 4; ++seed) {
    const std::vector<float> values = SketchTestData(100000, seed);
    TensorSketch sketch(kExact);
    sketch.Update(values);
    ExpectPointsOf(values, sketch);
  }
}

TEST(OuterValues, EveryNewValueBeyondAllOthers) {
  std::vector<float> values(30000);
  for (size_t i = 0; i < values.size(); ++i) values[i] = std::ldexp(static_cast<float>(i), -140);  // denormals, too
  for (const bool ascending : {true, false}) {
    if (!ascending) std::reverse(values.begin(), values.end());
    TensorSketch sketch(kExact);
    sketch.Update(values);
    ExpectPointsOf(values, sketch);
  }
}

TEST(OuterValues, LeaveOutZerosAndWhatIsNotFinite) {
  using Limits = std::numeric_limits<float>;
  const std::vector<float> values = {0, -0.0f, Limits::quiet_NaN(),  Limits::infinity(), -Limits::infinity(),
                                     2, -2,    Limits::denorm_min(), Limits::max(),      2};
  TensorSketch sketch(kExact);
  sketch.Update(values);
  ExpectPointsOf(values, sketch);
}

TEST(OuterValues, AreOfExactModeOnly) {
  TensorSketch sketch;
  sketch.Update(Levels(10, 1000, 3));
  EXPECT_TRUE(sketch.ReadHistogram().points.empty());
}

// Sizes just below, at and above the limit: whether a value is dropped is decided by the data, not by their order.
TEST(OuterValues, OrderBatchesThreadsAndMergesDoNotMatter) {
  for (const size_t distinct : {OuterValues::kFew - 1, OuterValues::kFew, OuterValues::kFew + 1, size_t{9000}}) {
    std::vector<float> values = Levels(distinct, 40000, 4);
    const size_t size = values.size() / 8;
    TensorSketch whole(kExact);
    for (size_t sample = 0; sample < 8; ++sample) whole.Update(std::span(values).subspan(sample * size, size));
    const std::string wanted = whole.Serialize();
    for (const size_t threads : {1, 2, 3, 5}) {
      TensorSketch sketch(kExact);
      sketch.Update(values.data(), {.samples = 8, .inner = static_cast<int64_t>(size)}, Threads(threads));
      ASSERT_EQ(sketch.Serialize(), wanted) << distinct << " distinct, threads " << threads;
    }
    std::mt19937 random(5);
    for (int round = 0; round < 4; ++round) {
      std::vector<TensorSketch> shards(3, TensorSketch(kExact));
      std::vector<size_t> order = {0, 1, 2, 3, 4, 5, 6, 7};
      std::shuffle(order.begin(), order.end(), random);
      for (const size_t sample : order) shards[random() % 3].Update(std::span(values).subspan(sample * size, size));
      TensorSketch merged = *TensorSketch::Parse(shards[0].Serialize());
      ASSERT_TRUE(merged.Merge(shards[2]).ok());
      ASSERT_TRUE(merged.Merge(*TensorSketch::Parse(shards[1].Serialize())).ok());
      ASSERT_EQ(merged.Serialize(), wanted) << distinct << " distinct, round " << round;
    }
  }
}

// Entries that contradict extremes or bins: each refused for itself, the undamaged bytes are read.
TEST(OuterValues, ParseRefusesWhatTheOtherPartsContradict) {
  ValueCounts counts{.samples = 1, .count = 4, .min = -2, .max = 3};
  TensorHistogram histogram;
  histogram.WidenTo(TensorHistogram::WidthExponent(3));
  const auto bin = [](float magnitude) { return static_cast<size_t>(magnitude * 1024); };
  histogram.bulk(false).Add(bin(1), 2);
  histogram.bulk(false).Add(bin(3), 1);
  histogram.bulk(true).Add(bin(2), 1);
  const auto accepted = [&](const std::vector<OuterValues::Entry>& entries) {
    WireWriter out;
    OuterValues(entries).Write(out);
    const std::string bytes = out.Take();
    WireReader in(bytes);
    return OuterValues().Parse(in, counts, histogram);
  };
  EXPECT_TRUE(accepted({{3, 1, 0}, {2, 0, 1}, {1, 2, 0}}));
  EXPECT_FALSE(accepted({}));
  EXPECT_FALSE(accepted({{3, 1, 0}, {2, 0, 1}})) << "there was room for the third";
  EXPECT_FALSE(accepted({{3, 1, 0}, {2, 0, 1}, {1, 3, 0}})) << "more than in its bin";
  EXPECT_FALSE(accepted({{3, 1, 0}, {2, 0, 1}, {1, 1, 0}})) << "fewer than in its bin";
  EXPECT_FALSE(accepted({{3, 1, 0}, {2, 1, 0}, {1, 2, 0}})) << "the other sign";
  EXPECT_FALSE(accepted({{2.9999f, 1, 0}, {2, 0, 1}, {1, 2, 0}})) << "not the maximum";
  EXPECT_FALSE(accepted({{3.5f, 1, 0}, {2, 0, 1}, {1, 2, 0}})) << "beyond the maximum";
  EXPECT_FALSE(accepted({{3, 1, 0}, {2, 0, 1}, {1, 2, 0}, {0.5f, 0, 0}})) << "an entry without values";
}

}  // namespace
}  // namespace preon
