#include <gtest/gtest.h>

#include "ranges/range_methods.h"
#include "ranges/test_sketches.h"

namespace preon {
namespace {

Result<Range> Choose(const std::vector<float>& values, const MethodOptions& options = {}) {
  return (*MakeMinMaxMethod()->WithOptions(options))->Choose(test::SketchOf(values), {});
}

TEST(MinMax, TheExtremesAndZero) {
  EXPECT_EQ(*Choose({-1.5f, 0.25f, 3.75f}), (Range{-1.5f, 3.75f}));
  EXPECT_EQ(*Choose({2, 3}), (Range{0, 3}));
  EXPECT_EQ(*Choose({-3, -2}), (Range{-3, 0}));
}

TEST(MinMax, Symmetric) {
  for (const char* name : {"CalibTensorRangeSymmetric", "symmetric"}) {
    EXPECT_EQ(*Choose({-1, 4}, {{name, "true"}}), (Range{-4, 4}));
    EXPECT_EQ(*Choose({-5, 4}, {{name, "true"}}), (Range{-5, 5}));
  }
}

TEST(MinMax, MovingAverageIsTheMeanOfTheSamplesExtremesInAnyOrder) {
  const std::vector<std::vector<float>> samples = {{-1, 3}, {-4, 1}, {0.5f, 5}};
  const auto choose = [&](std::vector<size_t> order, MethodOptions options) {
    TensorSketch sketch;
    for (const size_t sample : order) sketch.Update(samples[sample]);
    options["CalibMovingAverage"] = "true";
    return *(*MakeMinMaxMethod()->WithOptions(options))->Choose(sketch, {});
  };
  const Range mean{-1.5f, 3};
  EXPECT_EQ(choose({0, 1, 2}, {}), mean);
  EXPECT_EQ(choose({2, 0, 1}, {}), mean);
  EXPECT_EQ(choose({1, 2, 0}, {{"symmetric", "true"}}), (Range{-3, 3}));
}

TEST(MinMax, TheConstantOfAMovingAverageIsRefusedNotIgnored) {
  EXPECT_EQ(MakeMinMaxMethod()->WithOptions({{"CalibMovingAverageConstant", "0.01"}}).status().id(),
            ErrorId::kNotYetSupported);
  EXPECT_TRUE(MakeMinMaxMethod()->WithOptions({{"CalibMovingAverage", "false"}}).ok());
}

}  // namespace
}  // namespace preon
