#include <gtest/gtest.h>

#include "ranges/percentile_range.h"
#include "ranges/range_methods.h"
#include "ranges/test_sketches.h"

namespace preon {
namespace {

double MetricError(const std::vector<float>& values, Range range, const IntFormat& format, std::string_view metric) {
  const QuantParams params = *ComputeQuantParams(range, format);
  double absolute = 0, square = 0, xx = 0, xy = 0, yy = 0;
  for (const double x : values) {
    const double y =
        static_cast<double>(params.scale) * (EncodeValue(static_cast<float>(x), params, format) - params.zero_point);
    absolute += std::abs(x - y);
    square += (x - y) * (x - y);
    xx += x * x;
    xy += x * y;
    yy += y * y;
  }
  if (metric == "cos") return 1 - xy / std::sqrt(xx * yy);
  return metric == "mse" ? square : absolute;
}

// Brute force over the raw values in double: exact percentiles, exact errors. The method may pick another candidate
// only where it is as good.
TEST(LayerwisePercentile, PicksTheBruteForceCandidate) {
  for (const auto& [name, values] : test::ActivationLikeTensors()) {
    const TensorSketch sketch = test::SketchOf(values);
    const Range observed = *ObservedRange(sketch);
    std::vector<float> magnitudes = values;
    for (float& x : magnitudes) x = std::abs(x);
    std::sort(magnitudes.begin(), magnitudes.end());
    for (const IntFormat& format :
         {IntFormat{DataType::kUInt8}, IntFormat{DataType::kInt8, true}, IntFormat{DataType::kUInt16}}) {
      for (const char* metric : {"mae", "mse", "cos"}) {
        const auto method = *MakeLayerwisePercentileMethod()->WithOptions(
            {{"PercentileCandidates", "90,99,99.9,99.99,99.999,99.99999"}, {"LWPMetric", metric}});
        const Range chosen = *method->Choose(sketch, {format});
        double best = std::numeric_limits<double>::infinity(), of_chosen = best;
        for (double candidate : {90.0, 99.0, 99.9, 99.99, 99.999, 99.99999}) {
          const auto e = static_cast<float>(test::ExactQuantile(magnitudes, candidate / 100));
          const double error = MetricError(
              values, {std::clamp(-e, observed.min, 0.0f), std::clamp(e, 0.0f, observed.max)}, format, metric);
          best = std::min(best, error);
          if (chosen == *PercentileRange(sketch, candidate, true)) of_chosen = std::min(of_chosen, error);
        }
        EXPECT_LE(of_chosen, 1.001 * best + 1e-9) << name << ' ' << metric;
      }
    }
  }
}

TEST(LayerwisePercentile, DependsOnTheTensorsOwnFormat) {
  std::vector<float> values = test::Gaussian(100000);
  values[0] = 40;
  const auto method = *MakeLayerwisePercentileMethod()->WithOptions({{"PercentileCandidates", "99.9,100"}});
  const TensorSketch sketch = test::SketchOf(values);
  EXPECT_LT(method->Choose(sketch, {{DataType::kInt8, true}})->max, 10) << "8 bits: resolution is worth an outlier";
  EXPECT_EQ(method->Choose(sketch, {{DataType::kInt16, true}})->max, 40) << "16 bits hold both";
}

TEST(LayerwisePercentile, TiesGoToTheEarlierCandidate) {
  const auto method = *MakeLayerwisePercentileMethod()->WithOptions({{"PercentileCandidates", "50, 100"}});
  EXPECT_EQ(*method->Choose(test::SketchOf(std::vector<float>(9, 2.0f)), {}), (Range{0, 2}));
}

TEST(LayerwisePercentile, Options) {
  const auto status = [](const MethodOptions& options) {
    return MakeLayerwisePercentileMethod()->WithOptions(options).status();
  };
  EXPECT_EQ(status({{"LWPMetric", "rmse"}}).id(), ErrorId::kBadOptionValue);
  EXPECT_EQ(status({{"PercentileCandidates", "[]"}}).id(), ErrorId::kBadOptionValue);
  EXPECT_EQ(status({{"PercentileCandidates", "99.9,101"}}).id(), ErrorId::kBadOptionValue);
}

}  // namespace
}  // namespace preon
