#include <gtest/gtest.h>

#include "ranges/range_methods.h"
#include "ranges/test_sketches.h"

namespace preon {
namespace {

Result<Range> ChoosePercentile(const std::vector<float>& values, const MethodOptions& options) {
  return (*MakePercentileMethod()->WithOptions(options))->Choose(test::SketchOf(values), {});
}

TEST(Percentile, HundredIsExactlyTheExtremes) {
  for (const auto& [name, values] : test::ActivationLikeTensors()) {
    const auto [min, max] = std::minmax_element(values.begin(), values.end());
    for (const char* symmetric : {"true", "false"}) {
      EXPECT_EQ(*ChoosePercentile(values, {{"Percentile", "100"}, {"symmetric", symmetric}}),
                (Range{std::min(*min, 0.0f), std::max(*max, 0.0f)}))
          << name;
    }
  }
}

// Brute force over the raw values.
TEST(Percentile, WithinOneBinOfTheRawValues) {
  for (auto& [name, values] : test::ActivationLikeTensors()) {
    const TensorSketch sketch = test::SketchOf(values);
    const double width = sketch.ReadHistogram().width;
    std::vector<float> magnitudes = values;
    for (float& x : magnitudes) x = std::abs(x);
    std::sort(magnitudes.begin(), magnitudes.end());
    std::sort(values.begin(), values.end());
    for (const char* text : {"99.999", "99.9", "99", "90"}) {
      const double percentile = std::stod(text);
      const double e = test::ExactQuantile(magnitudes, percentile / 100);
      const Range folded = *ChoosePercentile(values, {{"Percentile", text}});
      EXPECT_NEAR(folded.min, std::min(0.0, std::max<double>(-e, values.front())), width) << name << ' ' << text;
      EXPECT_NEAR(folded.max, std::max(0.0, std::min<double>(e, values.back())), width) << name << ' ' << text;

      const double left_out = (100 - percentile) / 200;
      const Range two_sided = *ChoosePercentile(values, {{"Percentile", text}, {"CalibTensorRangeSymmetric", "false"}});
      EXPECT_NEAR(two_sided.min, std::min(0.0, test::ExactQuantile(values, left_out)), width) << name << ' ' << text;
      EXPECT_NEAR(two_sided.max, std::max(0.0, test::ExactQuantile(values, 1 - left_out)), width)
          << name << ' ' << text;
    }
  }
}

TEST(Percentile, CutsTheOutlierAtTheDefault) {
  std::vector<float> values = test::Gaussian(400000);
  values[123] = -500;
  const Range range = *ChoosePercentile(values, {});
  EXPECT_GT(range.min, -6);
  EXPECT_LT(range.max, 6);
}

TEST(Percentile, AllButFewZerosKeepsTheObservedRange) {
  std::vector<float> values(100000, 0.0f);
  values[7] = 0.25f;
  values[8] = -0.5f;
  EXPECT_EQ(*ChoosePercentile(values, {{"Percentile", "99.9"}}), (Range{-0.5f, 0.25f}))
      << "[0, 0] would quantize the tensor away";
}

TEST(Percentile, OptionsAreCheckedBeforeAnyData) {
  for (const char* bad : {"-1", "100.1", "all"}) {
    EXPECT_EQ(MakePercentileMethod()->WithOptions({{"Percentile", bad}}).status().id(), ErrorId::kBadOptionValue);
  }
}

}  // namespace
}  // namespace preon
