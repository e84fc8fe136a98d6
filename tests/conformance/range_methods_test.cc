// What every calibration method that preon knows must obey.
#include <gtest/gtest.h>

#include <cfloat>
#include <limits>

#include "api/builtins.h"
#include "ranges/percentile_range.h"
#include "ranges/test_sketches.h"

namespace preon {
namespace {

using test::SketchOf;

const std::vector<IntFormat> kFormats = {
    {DataType::kUInt8}, {DataType::kInt8, true}, {DataType::kInt16, true}, {DataType::kUInt16}};

/// Calls check(method, format) for every method and format.
template <typename Check>
void ForEach(const Check& check) {
  const Builtins builtins = MakeBuiltins();
  for (const auto& method : builtins.methods.entries()) {
    for (const IntFormat& format : kFormats) {
      SCOPED_TRACE(StrCat(method->name(), " ", DataTypeName(format.type)));
      check(*method, RangeQuery{format});
    }
  }
}

TEST(EveryRangeMethod, ContainsZeroAndStaysInsideWhatWasObserved) {
  for (const auto& [name, values] : test::ActivationLikeTensors()) {
    for (SketchMode mode : {SketchMode::kExact, SketchMode::kSampled}) {
      const TensorSketch sketch = SketchOf(values, mode);
      const Range observed = *ObservedRange(sketch);
      ForEach([&, &tensor = name](const RangeMethod& method, const RangeQuery& query) {
        const Result<Range> range = method.Choose(sketch, query);
        ASSERT_TRUE(range.ok()) << tensor << ": " << range.status().ToString();
        EXPECT_LE(range->min, 0) << tensor;
        EXPECT_GE(range->max, 0) << tensor;
        EXPECT_GE(range->min, observed.min) << tensor;
        EXPECT_LE(range->max, observed.max) << tensor;
      });
    }
  }
}

TEST(EveryRangeMethod, ScalesWithTheData) {
  for (const auto& [name, values] : test::ActivationLikeTensors(5000)) {
    for (float factor : {0.25f, 1024.0f}) {  // powers of two: the histogram scales exactly
      std::vector<float> scaled = values;
      for (float& x : scaled) x *= factor;
      ForEach([&, &values = values, &tensor = name](const RangeMethod& method, const RangeQuery& query) {
        const Range range = *method.Choose(SketchOf(values), query);
        const Range wanted{range.min * factor, range.max * factor};
        EXPECT_EQ(*method.Choose(SketchOf(scaled), query), wanted) << tensor;
      });
    }
  }
}

TEST(EveryRangeMethod, SpecialTensors) {
  constexpr float kDenormal = 1e-42f;
  struct Case {
    std::vector<float> values;
    Range range;
  };
  for (const Case& c :
       {Case{std::vector<float>(50, 0.7f), {0, 0.7f}}, Case{std::vector<float>(50, -0.7f), {-0.7f, 0}},
        Case{{3}, {0, 3}}, Case{{0}, {0, 0}}, Case{std::vector<float>(20, 0.0f), {0, 0}},
        Case{{kDenormal}, {0, kDenormal}}, Case{{-FLT_MAX}, {-FLT_MAX, 0}}, Case{{FLT_MAX}, {0, FLT_MAX}}}) {
    ForEach([&](const RangeMethod& method, const RangeQuery& query) {
      const Result<Range> range = method.Choose(SketchOf(c.values), query);
      ASSERT_TRUE(range.ok()) << range.status().ToString();
      EXPECT_EQ(*range, c.range) << c.values[0];
    });
  }
}

TEST(EveryRangeMethod, HugeAndDenormalTogether) {
  const TensorSketch sketch = SketchOf({-FLT_MAX, 1e-42f, 1, FLT_MAX});
  ForEach([&](const RangeMethod& method, const RangeQuery& query) {
    const Result<Range> range = method.Choose(sketch, query);
    ASSERT_TRUE(range.ok());
    EXPECT_TRUE(ComputeQuantParams(*range, query.format).ok());
  });
}

TEST(EveryRangeMethod, NothingToChooseFromIsAnError) {
  const float infinity = std::numeric_limits<float>::infinity();
  ForEach([&](const RangeMethod& method, const RangeQuery& query) {
    EXPECT_EQ(method.Choose(TensorSketch(), query).status().id(), ErrorId::kRangeMissing);
    EXPECT_EQ(method.Choose(SketchOf({infinity, -infinity}), query).status().id(), ErrorId::kRangeNotFinite);
  });
}

TEST(EveryRangeMethod, InfinitiesAreLeftOut) {
  std::vector<float> values = test::Gaussian(1000);
  std::vector<float> masked = values;
  masked.push_back(-std::numeric_limits<float>::infinity());
  ForEach([&](const RangeMethod& method, const RangeQuery& query) {
    EXPECT_EQ(*method.Choose(SketchOf(masked), query), *method.Choose(SketchOf(values), query));
  });
}

TEST(EveryRangeMethod, OrderOfMergesDoesNotMatter) {
  std::vector<TensorSketch> parts;
  for (uint32_t part = 0; part < 4; ++part) parts.push_back(SketchOf(test::Gaussian(3000 + 999 * part, part + 1)));
  TensorSketch forward = parts[0], backward = parts[3];
  for (int part : {1, 2, 3}) EXPECT_TRUE(forward.Merge(parts[part]).ok());
  for (int part : {2, 0, 1}) EXPECT_TRUE(backward.Merge(parts[part]).ok());
  ForEach([&](const RangeMethod& method, const RangeQuery& query) {
    EXPECT_EQ(*method.Choose(forward, query), *method.Choose(backward, query));
  });
}

TEST(EveryRangeMethod, DescribesItself) {
  const Builtins builtins = MakeBuiltins();
  for (const auto& method : builtins.methods.entries()) {
    EXPECT_FALSE(method->summary().empty());
    // Each "Name=default: meaning" is an option the method takes, with that default.
    for (std::string_view help : method->option_help()) {
      const size_t equals = help.find('='), colon = help.find(": ");
      ASSERT_LT(equals, colon) << help;
      const MethodOptions defaults = {
          {std::string(help.substr(0, equals)), std::string(help.substr(equals + 1, colon - equals - 1))}};
      const auto same = method->WithOptions(defaults);
      ASSERT_TRUE(same.ok()) << same.status().ToString();
      const TensorSketch sketch = SketchOf(test::Gaussian(20000));
      EXPECT_EQ(*(*same)->Choose(sketch, {}), *method->Choose(sketch, {})) << help;
    }
    EXPECT_EQ(method->WithOptions({{"NoSuchOption", "1"}}).status().id(), ErrorId::kUnknownOption);
  }
}

TEST(EveryRangeMethod, FoundByTheReferencesSpellings) {
  const Builtins builtins = MakeBuiltins();
  for (const auto& [spelling, name] : std::vector<std::pair<std::string_view, std::string_view>>{
           {"MinMax", "minmax"},
           {"CalibMethod.MinMax", "minmax"},
           {"CalibrationMethod.MinMax", "minmax"},
           {"Percentile", "percentile"},
           {"CalibMethod.Percentile", "percentile"},
           {"CalibrationMethod.Percentile", "percentile"},
           {"LayerwisePercentile", "layerwise-percentile"},
           {"LayerWisePercentile", "layerwise-percentile"},
           {"CalibMethod.LayerwisePercentile", "layerwise-percentile"}}) {
    ASSERT_TRUE(builtins.methods.Find(spelling).ok()) << spelling;
    EXPECT_EQ((*builtins.methods.Find(spelling))->name(), name) << spelling;
  }
}

}  // namespace
}  // namespace preon
