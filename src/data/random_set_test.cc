#include "data/random_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace preon {
namespace {

std::unique_ptr<SampleSet> MakeRandomSet(std::vector<TensorSpec> inputs, uint64_t seed = 1) {
  auto set = MakeRandomSet(10, seed, inputs, 1);
  EXPECT_TRUE(set.ok()) << set.status().ToString();
  return std::move(*set);
}

TEST(RandomSetTest, ShapesFollowTheInputs) {
  const auto set = MakeRandomSet({{"image", DataType::kFloat, {kDynamicDim, 3, kDynamicDim, kDynamicDim}},
                                  {"ids", DataType::kInt64, {kDynamicDim, kDynamicDim}},
                                  {"state", DataType::kFloat, {2, kDynamicDim, 4}},
                                  {"rate", DataType::kInt64, {}}});
  const auto sample = set->Read(3);
  ASSERT_TRUE(sample.ok());
  EXPECT_EQ(sample->feeds[0].tensor.shape(), (Shape{1, 3, 224, 224}));
  EXPECT_EQ(sample->feeds[1].tensor.shape(), (Shape{1, 32}));
  EXPECT_EQ(sample->feeds[2].tensor.shape(), (Shape{2, 1, 4}));
  EXPECT_EQ(sample->feeds[2].kind, FeedKind::kWhole);
  EXPECT_EQ(sample->feeds[3].tensor.shape(), Shape{});
  EXPECT_TRUE(set->single());
}

TEST(RandomSetTest, OnlyOpenShapesAreAskedFor) {
  const std::vector<TensorSpec> inputs = {{"image", DataType::kFloat, {kDynamicDim, 3, kDynamicDim, kDynamicDim}},
                                          {"tokens", DataType::kInt64, {kDynamicDim, 16}},
                                          {"rate", DataType::kInt64, {}}};
  RandomValues values;
  values.shapes["image"] = {1, 3, 8, 8};
  const auto set = MakeRandomSet(10, 1, inputs, 1, values);
  ASSERT_TRUE(set.ok()) << set.status().ToString();
  const auto sample = (*set)->Read(0);
  EXPECT_EQ(sample->feeds[0].tensor.shape(), (Shape{1, 3, 8, 8}));
  EXPECT_EQ(sample->feeds[1].tensor.shape(), (Shape{1, 16}));

  values.shapes = {{"tokens", {1, 16}}};
  const auto without = MakeRandomSet(10, 1, inputs, 1, values);
  ASSERT_FALSE(without.ok());
  EXPECT_EQ(without.status().id(), ErrorId::kDataInputName);
  EXPECT_EQ(without.status().message(),
            "--random-shape: none for input 'image'; wanted one for every input whose "
            "shape the model does not fix");
}

TEST(RandomSetTest, FloatsAreNearlyNormal) {
  const auto sample = MakeRandomSet({{"x", DataType::kFloat, {kDynamicDim, 100'000}}})->Read(0);
  double sum = 0, squares = 0, largest = 0;
  for (float value : sample->feeds[0].tensor.floats()) {
    sum += value;
    squares += static_cast<double>(value) * value;
    largest = std::max(largest, std::abs(static_cast<double>(value)));
  }
  EXPECT_NEAR(sum / 1e5, 0, 0.02);
  EXPECT_NEAR(squares / 1e5, 1, 0.02);
  EXPECT_GT(largest, 3);
  EXPECT_LT(largest, 3.5);
}

TEST(RandomSetTest, ASampleDependsOnSeedAndIndexOnly) {
  const std::vector<TensorSpec> inputs = {{"x", DataType::kFloat, {kDynamicDim, 8}}};
  const auto values = [&](uint64_t seed, std::vector<int64_t> indices) {
    const auto set = MakeRandomSet(inputs, seed);
    Result<Sample> sample = set->Read(indices[0]);
    for (int64_t index : indices) sample = set->Read(index);
    const auto floats = sample->feeds[0].tensor.floats();
    return std::vector<float>(floats.begin(), floats.end());
  };
  EXPECT_EQ(values(1, {5}), values(1, {0, 9, 5}));
  EXPECT_NE(values(1, {5}), values(1, {4}));
  EXPECT_NE(values(1, {5}), values(2, {5}));
}

TEST(RandomSetTest, IntegersAreSafeIndices) {
  const auto sample = MakeRandomSet({{"ids", DataType::kInt32, {kDynamicDim, 1000}}})->Read(0);
  int64_t ones = 0;
  for (int32_t value : sample->feeds[0].tensor.As<int32_t>()) {
    ASSERT_TRUE(value == 0 || value == 1);
    ones += value;
  }
  EXPECT_NEAR(static_cast<double>(ones), 500, 100);
}

TEST(RandomSetTest, RefusesOtherTypes) {
  for (const DataType type : {DataType::kString, DataType::kInt4}) {
    EXPECT_EQ(MakeRandomSet(1, 0, std::vector<TensorSpec>{{"x", type, {1}}}, 1).status().id(),
              ErrorId::kDataUnsupported);
  }
}

std::pair<double, double> ExtremesOf(SampleSet& set, const std::string& input) {
  std::pair<double, double> seen{INFINITY, -INFINITY};
  for (int64_t index = 0; index < set.size(); ++index) {
    const auto sample = set.Read(index);
    const auto feed = std::ranges::find(sample->feeds, input, &Feed::input);
    for (int64_t at = 0; at < feed->tensor.count(); ++at) {
      const double value = feed->tensor.type() == DataType::kFloat
                               ? feed->tensor.floats()[static_cast<size_t>(at)]
                               : double(feed->tensor.As<int64_t>()[static_cast<size_t>(at)]);
      seen = {std::min(seen.first, value), std::max(seen.second, value)};
    }
  }
  return seen;
}

TEST(RandomSetTest, RangesAndShapesThatAreGiven) {
  const std::vector<TensorSpec> inputs = {{"x", DataType::kFloat, {kDynamicDim, kDynamicDim, 20}},
                                          {"ids", DataType::kInt64, {kDynamicDim, kDynamicDim}}};
  const RandomValues values{.shapes = {{"x", {1, 7, 0}}, {"ids", {0, 50}}},
                            .ranges = {{"x", {-2, 6}}, {"ids", {3, 5}}}};
  const auto set = MakeRandomSet(10, 1, inputs, 1, values);
  ASSERT_TRUE(set.ok()) << set.status().ToString();
  EXPECT_EQ((*set)->Read(0)->feeds[0].tensor.shape(), (Shape{1, 7, 20}));
  EXPECT_EQ((*set)->Read(0)->feeds[1].tensor.shape(), (Shape{1, 50}));
  const auto x = ExtremesOf(**set, "x");
  EXPECT_TRUE(x.first >= -2 && x.first < -1.9 && x.second < 6 && x.second > 5.9) << x.first << " " << x.second;
  EXPECT_EQ(ExtremesOf(**set, "ids"), std::pair(3.0, 5.0));
  const auto common = MakeRandomSet(10, 1, inputs, 1, {.common = RandomValues::Interval{}});
  EXPECT_EQ(ExtremesOf(**common, "ids"), std::pair(0.0, 1.0));
}

TEST(RandomSetTest, WhatDoesNotFitIsRefused) {
  const std::vector<TensorSpec> inputs = {{"x", DataType::kFloat, {kDynamicDim, 3, kDynamicDim}},
                                          {"y", DataType::kFloat, {kDynamicDim}}};
  const auto id = [&](const RandomValues& values) { return MakeRandomSet(1, 1, inputs, 1, values).status().id(); };
  EXPECT_EQ(id({.ranges = {{"x", {0, 1}}}}), ErrorId::kDataInputName);  // none for y
  EXPECT_EQ(id({.ranges = {{"x", {0, 1}}, {"y", {0, 1}}, {"z", {0, 1}}}}), ErrorId::kDataInputName);
  EXPECT_EQ(id({.shapes = {{"x", {1, 4, 5}}, {"y", {1}}}}), ErrorId::kDataShape);
  EXPECT_EQ(id({.shapes = {{"x", {2, 3, 5}}, {"y", {1}}}}), ErrorId::kDataShape);
  EXPECT_EQ(id({.shapes = {{"x", {1, 3}}, {"y", {1}}}}), ErrorId::kDataShape);
}

TEST(RandomSetTest, RangesThatTheTypeHasNotAreRefused) {
  const auto holds = [](DataType type, double low, double high) {
    const std::vector<TensorSpec> inputs = {{"x", type, {kDynamicDim}}};
    const Status named = MakeRandomSet(1, 1, inputs, 1, {.ranges = {{"x", {low, high}}}}).status();
    const RandomValues common{.common = RandomValues::Interval{low, high}};
    EXPECT_EQ(named.ok(), MakeRandomSet(1, 1, inputs, 1, common).ok());
    return named.ok() || named.id() != ErrorId::kBadOptionValue;
  };
  EXPECT_TRUE(holds(DataType::kUInt8, 0, 255) && holds(DataType::kInt8, -128, 127) && holds(DataType::kBool, 0, 1));
  EXPECT_TRUE(holds(DataType::kInt64, -0x1p51, 0x1p51) && holds(DataType::kFloat, 0.5, 0.5));
  EXPECT_FALSE(holds(DataType::kUInt8, 0, 256) || holds(DataType::kInt8, -129, 0) || holds(DataType::kBool, 0, 2));
  EXPECT_FALSE(holds(DataType::kInt32, 0, 1e12) || holds(DataType::kUInt64, -1, 0));
  EXPECT_FALSE(holds(DataType::kInt16, 0.5, 0.5));
}

}  // namespace
}  // namespace preon
