// What every method obeys whose ranges come from values in their order: ours with such options, and those of other
// tools.
#include <gtest/gtest.h>

#include <algorithm>
#include <cfloat>
#include <cmath>

#include "config/builtins.h"
#include "formats/compat/compat_params.h"
#include "formats/number_formats.h"
#include "ranges/compat/compat_method.h"
#include "ranges/test_sketches.h"

namespace preon {
namespace {

using Samples = std::vector<std::vector<float>>;

struct NamedSamples {
  std::string name;
  Samples samples;
};

std::vector<NamedSamples> HardData() {
  std::vector<float> heavy = test::Gaussian(500);
  for (float& x : heavy) x = x * std::exp(2 * x * x);
  return {{"constant", {std::vector<float>(100, 0.7f), std::vector<float>(100, 0.7f)}},
          {"one", {{-3}}},
          {"zeros", {{0, 0, 0}, {0}}},
          {"zeros first", {{0, 0, 0}, {1, -2}}},
          {"negative", {{-1, -2, -2.5f, -7}, {-3}}},
          {"denormal", {{1e-42f, -3e-43f, 2e-42f}}},
          {"huge", {{1e38f, -1e38f, 1}, {0.5e38f}}},
          {"beyond", {{FLT_MAX, -1e38f, 1}}},
          {"heavy", {heavy, test::Gaussian(100, 7)}}};
}

std::vector<RangeQuery> AllQueries(ScaleType scale_type) {
  std::vector<RangeQuery> queries;
  for (const auto& number : NumberFormats().entries()) {
    const DataType type = number->onnx_type();
    if (!IsIntType(type)) continue;
    for (bool symmetric : {false, true}) {
      for (bool reduce_range : {false, true}) queries.push_back({{type, symmetric, reduce_range}, scale_type});
    }
  }
  return queries;
}

Result<Range> RangeOf(const RangeMethod& method, const RangeQuery& query, const Samples& samples) {
  PREON_ASSIGN_OR_RETURN(const auto collector, method.Collect(query));
  for (const std::vector<float>& sample : samples) collector->Add(sample);
  return collector->Finish([&](const std::function<void(std::span<const float>)>& visit) {
    for (const std::vector<float>& sample : samples) visit(sample);
    return Status::Ok();
  });
}

std::unique_ptr<RangeMethod> Ours(std::string_view name, const MethodOptions& options) {
  const Builtins builtins = MakeBuiltins();
  return *(*builtins.methods.Find(name))->WithOptions(options);
}

TEST(CollectingMethods, OursOnHardData) {
  const auto average = Ours("minmax", {{"CalibMovingAverage", "true"}});
  const auto votes = Ours("minmse", {{"MinMSEModePof2Scale", "MostCommon"}});
  for (const auto& [name, samples] : HardData()) {
    for (ScaleType scale_type : {ScaleType::kFloat32, ScaleType::kPowerOfTwo, ScaleType::kInt16}) {
      for (const RangeQuery& query : AllQueries(scale_type)) {
        SCOPED_TRACE(StrCat(name, " ", DataTypeName(query.format.type), query.format.symmetric ? " symmetric " : " ",
                            ScaleTypeName(scale_type)));
        for (const RangeMethod* method : {average.get(), votes.get()}) {
          const bool fits = method == average.get() || (scale_type == ScaleType::kPowerOfTwo && query.format.symmetric);
          const Result<Range> range = RangeOf(*method, query, samples);
          if (!fits) {
            EXPECT_EQ(range.status().id(), ErrorId::kConflictingOptions);
            continue;
          }
          ASSERT_TRUE(range.ok()) << range.status().ToString();
          EXPECT_TRUE(std::isfinite(range->min) && std::isfinite(range->max));
          EXPECT_LE(range->min, 0);
          EXPECT_GE(range->max, 0);
          const Result<QuantParams> params = ComputeQuantParams(*range, query.format, scale_type);
          ASSERT_TRUE(params.ok()) << params.status().ToString();
          EXPECT_GT(params->scale, 0);
        }
      }
    }
  }
}

TEST(CollectingMethods, OtherToolsOnHardData) {
  struct Case {
    Compat tool;
    std::string method;
    MethodOptions options;
  };
  std::vector<Case> cases;
  for (const char* method : {"percentile", "entropy", "distribution"}) {
    for (Compat tool : {Compat::kQuark, Compat::kOnnxRuntime}) cases.push_back({tool, method, {}});
  }
  for (const char* use_histogram : {"true", "false"})
    cases.push_back({Compat::kQuark, "layerwise-percentile", {{"LWPUseHistogram", use_histogram}}});
  for (const char* mode : {"All", "MostCommon", "Percentile"})
    cases.push_back({Compat::kQuark, "minmse", {{"MinMSEModePof2Scale", mode}}});
  cases.push_back({Compat::kQuark, "minmse", {{"NumBins", "0"}}});
  for (Compat tool : {Compat::kQuark, Compat::kOnnxRuntime})
    cases.push_back({tool, "minmax", {{"CalibMovingAverage", "true"}}});
  int refused = 0;
  for (const Case& c : cases) {
    const auto method = *compat::MakeCompatMethod(c.tool, c.method, c.options, DataType::kUInt8);
    ASSERT_TRUE(method->collects());
    EXPECT_EQ(method->Choose(test::SketchOf({1}), {}).status().id(), ErrorId::kConflictingOptions);
    const bool powers = c.method == "minmse";
    for (const auto& [name, samples] : HardData()) {
      for (const RangeQuery& query : AllQueries(powers ? ScaleType::kPowerOfTwo : ScaleType::kFloat32)) {
        SCOPED_TRACE(StrCat(CompatName(c.tool), " ", c.method, " ", name, " ", DataTypeName(query.format.type)));
        const Result<Range> range = RangeOf(*method, query, samples);
        if (name == "beyond" && !range.ok()) {  // a histogram to both sides is wider than the largest float
          EXPECT_EQ(range.status().id(), ErrorId::kRangeInvalid);
          ++refused;
          continue;
        }
        ASSERT_TRUE(range.ok()) << range.status().ToString();
        EXPECT_FALSE(std::isnan(range->min) || std::isnan(range->max));
        const auto params = compat::QuantParamsOf(*range, query.format, query.scale_type, c.tool);
        if (!params.ok()) {  // the runtime's infinite scale
          EXPECT_EQ(c.tool, Compat::kOnnxRuntime);
          ++refused;
          continue;
        }
        EXPECT_TRUE(std::isfinite(params->scale) && params->scale > 0);
      }
    }
  }
  EXPECT_GT(refused, 0);
}

// The percentile, written out: numpy.percentile of the values in double.
double NumpyPercentile(std::vector<double> values, double percentile) {
  std::sort(values.begin(), values.end());
  const double rank = percentile / 100 * static_cast<double>(values.size() - 1);
  const auto below = static_cast<size_t>(rank);
  const size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (rank - static_cast<double>(below)) * (values[above] - values[below]);
}

double MeanError(const std::vector<float>& values, const Range& range, const RangeQuery& query, bool square) {
  const QuantParams params = *ComputeQuantParams(range, query.format, query.scale_type);
  const CodeRange codes = CodesInUse(params, query.format);
  double sum = 0;
  for (const float x : values) {
    const double code =
        std::clamp(std::nearbyint(double{x} / params.scale) + params.zero_point, double(codes.min), double(codes.max));
    const double error = x - params.scale * (code - params.zero_point);
    sum += square ? error * error : std::abs(error);
  }
  return sum / static_cast<double>(values.size());
}

// Brute force in double over raw values, for every type, symmetry and scale type: percentile to 1e-5 of the largest
// value, the chosen candidate of layerwise-percentile to 0.1 % of the best one's error, minmse at most 1 % above all of
// these.
TEST(EveryType, AgreesWithBruteForceOverTheValues) {
  std::vector<NamedSamples> data;
  std::vector<float> relu = test::Gaussian(3000, 3), heavy = test::Gaussian(3000, 5), negative = relu;
  for (float& x : relu) x = std::max(x, 0.0f);
  for (float& x : heavy) x = x * std::exp(0.5f * x * x);
  for (float& x : negative) x = -std::abs(x) - 0.1f;
  data = {{"gauss", {test::Gaussian(3000)}}, {"relu", {relu}}, {"heavy", {heavy}}, {"negative", {negative}}};
  const auto percentile = Ours("percentile", {{"Percentile", "99.5"}});
  const auto layerwise = Ours("layerwise-percentile", {{"PercentileCandidates", "99,99.9,100"}});
  const auto minmse = Ours("minmse", {});
  for (const auto& [name, samples] : data) {
    const std::vector<float>& values = samples[0];
    const TensorSketch sketch = test::SketchOf(values, SketchMode::kExact);
    std::vector<double> magnitudes;
    for (const float x : values) magnitudes.push_back(std::abs(x));
    const Range observed{std::min(sketch.min(), 0.0f), std::max(sketch.max(), 0.0f)};
    const auto range_at = [&](double p) {
      const auto end = static_cast<float>(NumpyPercentile(magnitudes, p));
      return Range{std::max(-end, observed.min), std::min(end, observed.max)};
    };
    const double largest = NumpyPercentile(magnitudes, 100);
    for (ScaleType scale_type : {ScaleType::kFloat32, ScaleType::kPowerOfTwo, ScaleType::kInt16}) {
      for (const RangeQuery& query : AllQueries(scale_type)) {
        SCOPED_TRACE(StrCat(name, " ", DataTypeName(query.format.type), query.format.symmetric ? " symmetric" : "",
                            query.format.reduce_range ? " reduced " : " ", ScaleTypeName(scale_type)));
        const Range cut = *percentile->Choose(sketch, query);
        EXPECT_NEAR(cut.min, range_at(99.5).min, 1e-5 * largest);
        EXPECT_NEAR(cut.max, range_at(99.5).max, 1e-5 * largest);
        double best = INFINITY;
        for (double p : {99.0, 99.9, 100.0}) best = std::min(best, MeanError(values, range_at(p), query, false));
        EXPECT_LE(MeanError(values, *layerwise->Choose(sketch, query), query, false), 1.001 * best + 1e-12);
        // Types that are finer than the values' own rounding have errors of rounding alone.
        if (query.format.q_max() - query.format.q_min() >= 1 << 16 || scale_type == ScaleType::kInt16) continue;
        const double error = MeanError(values, *minmse->Choose(sketch, query), query, true);
        EXPECT_LE(error, 1.01 * MeanError(values, observed, query, true) + 1e-12);
        if (scale_type != ScaleType::kFloat32) continue;
        for (double p : {99.99, 99.999})
          EXPECT_LE(error, 1.01 * MeanError(values, range_at(p), query, true) + 1e-12) << p;
      }
    }
  }
}

}  // namespace
}  // namespace preon
