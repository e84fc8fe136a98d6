#include <gtest/gtest.h>

#include "ranges/range_methods.h"
#include "ranges/test_sketches.h"

namespace preon {
namespace {

Result<Range> ChooseMinMax(const std::vector<float>& values, const MethodOptions& options = {}) {
  return (*MakeMinMaxMethod()->WithOptions(options))->Choose(test::SketchOf(values), {});
}

TEST(MinMax, TheExtremesAndZero) {
  EXPECT_EQ(*ChooseMinMax({-1.5f, 0.25f, 3.75f}), (Range{-1.5f, 3.75f}));
  EXPECT_EQ(*ChooseMinMax({2, 3}), (Range{0, 3}));
  EXPECT_EQ(*ChooseMinMax({-3, -2}), (Range{-3, 0}));
}

TEST(MinMax, Symmetric) {
  for (const char* name : {"CalibTensorRangeSymmetric", "symmetric"}) {
    EXPECT_EQ(*ChooseMinMax({-1, 4}, {{name, "true"}}), (Range{-4, 4}));
    EXPECT_EQ(*ChooseMinMax({-5, 4}, {{name, "true"}}), (Range{-5, 5}));
  }
}

TEST(MinMax, MovingAverageIsExponentialInTheOrderOfTheData) {
  const std::vector<std::vector<float>> samples = {{-1, 3}, {-4, 1}, {0.5f, 5}};
  const auto average = [&](MethodOptions options) {
    options["CalibMovingAverage"] = "true";
    const auto method = *MakeMinMaxMethod()->WithOptions(options);
    EXPECT_TRUE(method->collects());
    EXPECT_EQ(method->Choose(test::SketchOf({1}), {}).status().id(), ErrorId::kConflictingOptions);
    const auto collector = *method->Collect({});
    EXPECT_FALSE(collector->by_run() || collector->rereads());
    for (const std::vector<float>& sample : samples) collector->Add(sample);
    return *collector->Finish({});
  };
  // By hand: -1, -1 + 0.5 (-4 + 1) = -2.5, -2.5 + 0.5 (0.5 + 2.5) = -1; 3, 2, 3.5.
  EXPECT_EQ(average({{"CalibMovingAverageConstant", "0.5"}}), (Range{-1, 3.5f}));
  EXPECT_EQ(average({{"CalibMovingAverageConstant", "1"}}), (Range{0, 5}));  // the last sample, widened by 0
  EXPECT_EQ(average({{"symmetric", "true"}, {"CalibMovingAverageConstant", "0.5"}}), (Range{-3.5f, 3.5f}));
  const Range usual = average({});
  EXPECT_NEAR(usual.min, -1 + 0.01 * -3 + 0.01 * (0.5 + 1.03), 1e-6);
  EXPECT_NEAR(usual.max, 3 + 0.01 * -2 + 0.01 * (5 - 2.98), 1e-6);
}

TEST(MinMax, TheConstantOfAMovingAverage) {
  const auto id = [](const MethodOptions& options) { return MakeMinMaxMethod()->WithOptions(options).status().id(); };
  EXPECT_EQ(id({{"CalibMovingAverageConstant", "0.5"}}), ErrorId::kConflictingOptions);
  for (const char* bad : {"0", "1.5", "-1"}) {
    EXPECT_EQ(id({{"CalibMovingAverage", "true"}, {"CalibMovingAverageConstant", bad}}), ErrorId::kBadOptionValue)
        << bad;
  }
}

}  // namespace
}  // namespace preon
