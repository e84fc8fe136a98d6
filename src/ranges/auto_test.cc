#include <gtest/gtest.h>

#include "ranges/outlier_rule.h"
#include "ranges/range_methods.h"
#include "ranges/test_sketches.h"

namespace preon {
namespace {

Range ChooseAuto(const std::vector<float>& values) { return *MakeAutoMethod()->Choose(test::SketchOf(values), {}); }

TEST(AutoMethod, WithoutOutliersAllOfTheRange) {
  std::vector<float> values(10000);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) / 5000 - 1;
  EXPECT_EQ(ChooseAuto(values), (Range{-1, values.back()}));
}

TEST(AutoMethod, FewOutliersAreCutOff) {
  std::vector<float> values = test::Gaussian(100000);
  for (size_t i = 0; i < 8; ++i) values[i] = 20;  // 8 times the 99th percentile, and fewer than one in 10000
  const Range range = ChooseAuto(values);
  EXPECT_LT(range.max, 5);
  EXPECT_GT(range.max, 3);
}

TEST(AutoMethod, OfFarOutliersTheErrorDecides) {
  std::vector<float> values = test::Gaussian(1000000);
  values[0] = 30;  // saturating it costs less than coarse steps for all others
  EXPECT_LT(ChooseAuto(values).max, 10);
  for (size_t i = 0; i < 1000; ++i) values[i] = 30;  // too many to lose
  EXPECT_NEAR(ChooseAuto(values).max, 30, 0.1);
}

// The nearest power of two below a scale would cut off up to a third of a whole range.
TEST(AutoMethod, OfPowersOfTwoTheErrorDecides) {
  const RangeQuery query = {.format = {DataType::kInt16, true}, .scale_type = ScaleType::kPowerOfTwo};
  for (const auto& [name, values] : test::ActivationLikeTensors()) {
    const TensorSketch sketch = test::SketchOf(values);
    EXPECT_EQ(*MakeAutoMethod()->Choose(sketch, query), *MakeMinMseMethod()->Choose(sketch, query)) << name;
  }
}

// What advice names is what auto does.
TEST(AutoMethod, FollowsTheAdvice) {
  for (const auto& [name, values] : test::ActivationLikeTensors()) {
    const TensorSketch sketch = test::SketchOf(values);
    const double ratio = OutlierRatio(Distribution::Absolute(sketch));
    const MethodAdvice advice = AdviceFor(ClassifyOutliers(ratio));
    const auto method = advice.method == "minmax"       ? MakeMinMaxMethod()
                        : advice.method == "percentile" ? MakePercentileMethod()
                                                        : MakeLayerwisePercentileMethod();
    ASSERT_EQ(method->name(), advice.method);
    EXPECT_EQ(*(*method->WithOptions(advice.options))->Choose(sketch, {}), *MakeAutoMethod()->Choose(sketch, {}))
        << name << " " << ratio;
  }
}

}  // namespace
}  // namespace preon
