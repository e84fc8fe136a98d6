// What every calibration method that preon knows must obey.
#include <gtest/gtest.h>

#include <cfloat>
#include <cmath>
#include <limits>
#include <set>

#include "config/builtins.h"
#include "formats/number_formats.h"
#include "ranges/percentile_range.h"
#include "ranges/test_sketches.h"

namespace preon {
namespace {

using test::SketchOf;

const std::vector<IntFormat> kFormats = {
    {DataType::kUInt8}, {DataType::kInt8, true}, {DataType::kInt16, true}, {DataType::kUInt16}};

std::vector<RangeQuery> Queries(const std::vector<IntFormat>& formats, const std::vector<ScaleType>& scale_types) {
  std::vector<RangeQuery> queries;
  for (ScaleType scale_type : scale_types) {
    for (const IntFormat& format : formats) queries.push_back({format, scale_type});
  }
  return queries;
}

/// Every integer type in every form, with every scale type.
std::vector<RangeQuery> AllQueries() {
  std::vector<IntFormat> formats;
  for (const auto& number : NumberFormats().entries()) {
    const DataType type = number->onnx_type();
    if (!IsIntType(type)) continue;
    for (bool symmetric : {false, true}) {
      for (bool reduce_range : {false, true}) formats.push_back({type, symmetric, reduce_range});
    }
  }
  return Queries(formats, {ScaleType::kFloat32, ScaleType::kPowerOfTwo, ScaleType::kInt16});
}

/// Calls check(method, query) for every method and query.
template <typename Check>
void ForEach(const Check& check, const std::vector<RangeQuery>& queries = Queries(kFormats, {ScaleType::kFloat32})) {
  const Builtins builtins = MakeBuiltins();
  for (const auto& method : builtins.methods.entries()) {
    for (const RangeQuery& query : queries) {
      const IntFormat& format = query.format;
      SCOPED_TRACE(StrCat(method->name(), " ", DataTypeName(format.type), format.symmetric ? " symmetric" : "",
                          format.reduce_range ? " reduced" : "", " ", ScaleTypeName(query.scale_type)));
      check(*method, query);
    }
  }
}

/// What a method may return at most, by its page in docs/methods: the observed range for all but these.
Range WidestOf(const RangeMethod& method, const RangeQuery& query, Range observed) {
  if (method.name() == "nonoverflow") {  // symmetric by default
    observed.max = std::max(-observed.min, observed.max);
    observed.min = -observed.max;
  }
  if (query.scale_type != ScaleType::kPowerOfTwo) return observed;
  const std::set<std::string_view> powers = {"nonoverflow", "minmse", "auto"};
  if (!powers.contains(method.name())) return observed;
  // All that the codes represent with twice the nearest power of two.
  const QuantParams params = *ComputeQuantParams(observed, query.format, query.scale_type);
  const Range doubled = RepresentableRange({2 * params.scale, params.zero_point}, query.format);
  return {std::min(observed.min, doubled.min), std::max(observed.max, doubled.max)};
}

void ExpectInside(const Range& range, const Range& widest, std::string_view tensor) {
  EXPECT_TRUE(std::isfinite(range.min) && std::isfinite(range.max)) << tensor;
  EXPECT_LE(range.min, 0) << tensor;
  EXPECT_GE(range.max, 0) << tensor;
  EXPECT_GE(range.min, widest.min) << tensor;
  EXPECT_LE(range.max, widest.max) << tensor;
}

TEST(EveryRangeMethod, ContainsZeroAndStaysInsideWhatWasObserved) {
  for (const auto& [name, values] : test::ActivationLikeTensors()) {
    for (SketchMode mode : {SketchMode::kExact, SketchMode::kSampled}) {
      const TensorSketch sketch = SketchOf(values, mode);
      const Range observed = *ObservedRange(sketch);
      ForEach([&, &tensor = name](const RangeMethod& method, const RangeQuery& query) {
        const Result<Range> range = method.Choose(sketch, query);
        ASSERT_TRUE(range.ok()) << tensor << ": " << range.status().ToString();
        ExpectInside(*range, WidestOf(method, query, observed), tensor);
      });
    }
  }
}

TEST(EveryRangeMethod, ScalesWithTheData) {
  for (const auto& [name, values] : test::ActivationLikeTensors(5000)) {
    for (float factor : {0.25f, 1024.0f}) {  // powers of two: the histogram scales exactly
      std::vector<float> scaled = values;
      for (float& x : scaled) x *= factor;
      ForEach(
          [&, &values = values, &tensor = name](const RangeMethod& method, const RangeQuery& query) {
            const Range range = *method.Choose(SketchOf(values), query);
            const Range wanted{range.min * factor, range.max * factor};
            EXPECT_EQ(*method.Choose(SketchOf(scaled), query), wanted) << tensor;
          },
          Queries(kFormats, {ScaleType::kFloat32, ScaleType::kPowerOfTwo}));
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
      EXPECT_EQ(*range, WidestOf(method, query, c.range)) << c.values[0];
    });
  }
}

TEST(EveryRangeMethod, EveryTypeAndScaleOnHardTensors) {
  std::vector<float> heavy = test::Gaussian(2000);
  for (float& x : heavy) x = x * std::exp(2 * x * x);
  const std::vector<test::NamedValues> tensors = {
      {"constant", std::vector<float>(100, 0.7f)},
      {"one", {-3}},
      {"zeros", {0, 0, 0}},
      {"negative", {-1, -2, -2.5f, -7}},
      {"denormal", {1e-42f, -3e-43f, 2e-42f}},
      {"small", {1e-38f, -3e-38f, 2e-38f}},
      {"huge", {1e38f, -1e38f, 1, 0.5e38f}},
      {"beyond", {FLT_MAX, -1e38f, 1}},
      {"heavy", heavy},
  };
  const std::vector<RangeQuery> queries = AllQueries();
  for (const auto& [name, values] : tensors) {
    const TensorSketch sketch = SketchOf(values);
    const Range observed = *ObservedRange(sketch);
    ForEach(
        [&, &tensor = name](const RangeMethod& method, const RangeQuery& query) {
          const Result<Range> range = method.Choose(sketch, query);
          ASSERT_TRUE(range.ok()) << tensor << ": " << range.status().ToString();
          ExpectInside(*range, WidestOf(method, query, observed), tensor);
          const Result<QuantParams> params = ComputeQuantParams(*range, query.format, query.scale_type);
          ASSERT_TRUE(params.ok()) << tensor;
          EXPECT_TRUE(std::isfinite(params->scale) && params->scale > 0) << tensor;
          EXPECT_EQ(EncodeValue(0, *params, query.format), params->zero_point) << tensor;
          // Denormals have no scale of their own, whatever the range.
          const bool has_scale = std::max(-observed.min, observed.max) >= FLT_MIN;
          EXPECT_TRUE(!has_scale || *range != Range{}) << tensor << ": would be quantized away";
        },
        queries);
  }
  ForEach(
      [&](const RangeMethod& method, const RangeQuery& query) {
        EXPECT_EQ(method.Choose(TensorSketch(), query).status().id(), ErrorId::kRangeMissing);
      },
      queries);
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

TEST(EveryRangeMethod, FoundByQuarksSpellings) {
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
           {"CalibMethod.LayerwisePercentile", "layerwise-percentile"},
           {"Int16Method.MinMax", "minmax"},
           {"MinMSE", "minmse"},
           {"CalibMethod.MinMSE", "minmse"},
           {"PowerOfTwoMethod.MinMSE", "minmse"},
           {"ExtendedCalibrationMethod.MinMSE", "minmse"},
           {"NonOverflow", "nonoverflow"},
           {"PowerOfTwoMethod.NonOverflow", "nonoverflow"},
           {"CalibMethod.Entropy", "entropy"},
           {"CalibrationMethod.Entropy", "entropy"},
           {"CalibMethod.Distribution", "distribution"},
           {"CalibrationMethod.Distribution", "distribution"}}) {
    ASSERT_TRUE(builtins.methods.Find(spelling).ok()) << spelling;
    EXPECT_EQ((*builtins.methods.Find(spelling))->name(), name) << spelling;
  }
}

}  // namespace
}  // namespace preon
