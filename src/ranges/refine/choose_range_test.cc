#include "ranges/refine/choose_range.h"

#include <gtest/gtest.h>

#include "ranges/range_methods.h"
#include "ranges/test_sketches.h"

namespace preon {
namespace {

const RangeQuery kByteQuery = {.format = {DataType::kUInt8, false}};

TEST(ChooseRange, OnlyGraphAwareMethodsLookAtTheGraph) {
  std::vector<float> values = test::Gaussian(20000);
  for (float& x : values) x = 6 * x - 4;
  const TensorSketch sketch = test::SketchOf(values);
  const TensorContext context = {.read_activation = ReadActivation::kSilu};
  const std::unique_ptr<RangeMethod> plain = MakeMinMaxMethod();
  const std::unique_ptr<RangeMethod> aware = *plain->WithOptions({{"graphaware", "true"}});
  EXPECT_FALSE(plain->graph_aware());
  EXPECT_TRUE(aware->graph_aware());
  EXPECT_TRUE(MakeAutoMethod()->graph_aware());
  EXPECT_EQ(*ChooseRange(*plain, sketch, kByteQuery, context), *plain->Choose(sketch, kByteQuery));
  EXPECT_EQ(*ChooseRange(*aware, sketch, kByteQuery, {}), *plain->Choose(sketch, kByteQuery));
  EXPECT_GT(ChooseRange(*aware, sketch, kByteQuery, context)->min, sketch.min());
}

TEST(ChooseRange, OutputsKeepTheirPeaks) {
  std::vector<float> values = test::Gaussian(20000);
  values[7] = 12;
  const TensorSketch sketch = test::SketchOf(values);
  const std::unique_ptr<RangeMethod> percentile =
      *MakePercentileMethod()->WithOptions({{"Percentile", "99"}, {"GraphAware", "true"}});
  EXPECT_LT(ChooseRange(*percentile, sketch, kByteQuery, {})->max, 6);
  EXPECT_EQ(ChooseRange(*percentile, sketch, kByteQuery, {.is_output = true})->max, 12);
}

TEST(RefineRange, AveragesLeaveOutputsTheirPeaks) {
  const TensorSketch sketch = test::SketchOf(test::Gaussian(20000));
  const auto average = [](const char* option, const char* value) {
    return *MakeMinMaxMethod()->WithOptions({{"CalibMovingAverage", "true"}, {option, value}});
  };
  const Range inside{-1, 1};
  const auto usual = average("CalibMovingAverageConstant", "0.5"), plain = average("GraphAware", "false");
  EXPECT_EQ(RefineRange(*usual, inside, sketch, kByteQuery, {.is_output = true})->max, sketch.max());
  EXPECT_EQ(*RefineRange(*usual, inside, sketch, kByteQuery, {}), inside);
  EXPECT_EQ(*RefineRange(*plain, inside, sketch, kByteQuery, {.is_output = true}), inside);
  EXPECT_EQ(*RefineRange(*average("symmetric", "true"), inside, sketch, kByteQuery, {.is_output = true}), inside);
}

TEST(ChooseRange, GraphAwareIsTrueOrFalse) {
  EXPECT_EQ(MakeMinMaxMethod()->WithOptions({{"GraphAware", "maybe"}}).status().id(), ErrorId::kBadOptionValue);
  EXPECT_FALSE((*MakeAutoMethod()->WithOptions({{"GraphAware", "false"}}))->graph_aware());
}

}  // namespace
}  // namespace preon
