#include "ranges/histogram_math.h"

#include <gtest/gtest.h>

#include "ranges/test_sketches.h"

namespace preon {
namespace {

using test::SketchOf;

std::vector<float> Absolute(std::vector<float> values) {
  for (float& x : values) x = std::abs(x);
  return values;
}

double RawError(const std::vector<float>& values, const QuantParams& params, const IntFormat& format,
                ErrorMetric metric) {
  double absolute = 0, square = 0, xx = 0, xy = 0, yy = 0;
  for (const double x : values) {
    const double restored =
        static_cast<double>(params.scale) * (EncodeValue(static_cast<float>(x), params, format) - params.zero_point);
    absolute += std::abs(x - restored);
    square += (x - restored) * (x - restored);
    xx += x * x;
    xy += x * restored;
    yy += restored * restored;
  }
  if (metric == ErrorMetric::kCosine) return 1 - xy / std::sqrt(xx * yy);
  return (metric == ErrorMetric::kMeanSquare ? square : absolute) / static_cast<double>(values.size());
}

TEST(Distribution, CountsEveryFiniteValueOnceInOrder) {
  for (const auto& [name, values] : test::ActivationLikeTensors()) {
    const TensorSketch sketch = SketchOf(values);
    for (const Distribution& d : {Distribution::Signed(sketch), Distribution::Absolute(sketch)}) {
      EXPECT_EQ(d.count(), static_cast<double>(values.size())) << name;
      double end = d.bins().front().low;
      for (const Distribution::Bin& bin : d.bins()) {
        EXPECT_GE(bin.low, end) << name;
        EXPECT_GE(bin.high, bin.low) << name;
        EXPECT_GT(bin.count, 0) << name;
        end = bin.high;
      }
    }
    EXPECT_EQ(Distribution::Signed(sketch).bins().front().low, sketch.min()) << name;
    EXPECT_EQ(Distribution::Signed(sketch).bins().back().high, sketch.max()) << name;
  }
}

TEST(Quantile, WithinOneBinOfTheRawValues) {
  for (size_t count : {2, 3, 10, 1000, 50000}) {
    for (auto& [name, values] : test::ActivationLikeTensors(count)) {
      const TensorSketch sketch = SketchOf(values);
      const double width = sketch.ReadHistogram().width;
      std::vector<float> magnitudes = Absolute(values);
      std::sort(values.begin(), values.end());
      std::sort(magnitudes.begin(), magnitudes.end());
      for (double quantile : {0.0, 0.001, 0.1, 0.5, 0.9, 0.999, 0.99999, 1.0}) {
        EXPECT_NEAR(Distribution::Signed(sketch).Quantile(quantile), test::ExactQuantile(values, quantile), width)
            << name << ' ' << count << ' ' << quantile;
        EXPECT_NEAR(Distribution::Absolute(sketch).Quantile(quantile), test::ExactQuantile(magnitudes, quantile), width)
            << name << ' ' << count << ' ' << quantile;
      }
      EXPECT_EQ(Distribution::Signed(sketch).Quantile(0), values.front()) << name;
      EXPECT_EQ(Distribution::Signed(sketch).Quantile(1), values.back()) << name;
    }
  }
}

// Large samples: the bulk is estimated, but the tail is counted, and quantiles in it must not feel the difference.
TEST(Quantile, InTheTailSampledIsWithinOneBinOfExact) {
  const std::vector<float> values = test::Gaussian(460800);
  const TensorSketch sketch = SketchOf(values);
  const double width = sketch.ReadHistogram().width;
  const Distribution exact = Distribution::Signed(sketch),
                     sampled = Distribution::Signed(SketchOf(values, SketchMode::kSampled));
  ASSERT_NE(exact.bins()[exact.bins().size() / 2].count, sampled.bins()[sampled.bins().size() / 2].count);
  for (double quantile : {0.99, 0.999, 0.99999, 0.9999999}) {
    EXPECT_NEAR(sampled.Quantile(quantile), exact.Quantile(quantile), width) << quantile;
    EXPECT_NEAR(sampled.Quantile(1 - quantile), exact.Quantile(1 - quantile), width) << quantile;
  }
}

// Few distinct values are all points; of more, the 256 outermost magnitudes are.
TEST(Quantile, IsExactBetweenPoints) {
  std::vector<float> levels = test::Gaussian(50000);
  for (float& x : levels) x = std::nearbyint(x * 200) / 31;
  std::vector<float> dense = test::Gaussian(50000);
  for (auto& [values, quantiles] : {std::pair{&levels, std::vector{0.0, 0.003, 0.2, 0.5, 0.77, 0.9999, 0.9999999, 1.0}},
                                    std::pair{&dense, std::vector{0.0, 1e-4, 0.002, 0.998, 0.9999, 0.9999999, 1.0}}}) {
    const TensorSketch sketch = SketchOf(*values);
    std::sort(values->begin(), values->end());
    for (double quantile : quantiles) {
      const double wanted = test::ExactQuantile(*values, quantile);
      EXPECT_NEAR(Distribution::Signed(sketch).Quantile(quantile), wanted, 1e-9 * std::abs(wanted)) << quantile;
    }
    std::vector<float> magnitudes = Absolute(*values);
    std::sort(magnitudes.begin(), magnitudes.end());
    for (double quantile : quantiles) {
      if (values == &dense && quantile < 0.996) continue;
      const double wanted = test::ExactQuantile(magnitudes, quantile);
      EXPECT_NEAR(Distribution::Absolute(sketch).Quantile(quantile), wanted, 1e-9 * wanted) << quantile;
    }
  }
}

// numpy.quantile([-3, 0, 0, 1, 4], [0.25, 0.5, 0.6]) = 0, 0, 0.4: exact zeros are no bin.
TEST(Quantile, NumpyGolden) {
  const Distribution d = Distribution::Signed(SketchOf({-3, 0, 0, 1, 4}));
  EXPECT_EQ(d.Quantile(0.25), 0);
  EXPECT_EQ(d.Quantile(0.5), 0);
  EXPECT_NEAR(d.Quantile(0.6), 0.4, 1e-12);
}

TEST(ExpectedQuantizationError, MatchesTheRawValues) {
  for (const auto& [name, values] : test::ActivationLikeTensors()) {
    const TensorSketch sketch = SketchOf(values);
    const Distribution d = Distribution::Signed(sketch);
    for (const IntFormat& format :
         {IntFormat{DataType::kUInt8}, IntFormat{DataType::kInt8, true}, IntFormat{DataType::kInt16, true}}) {
      for (float share : {1.0f, 0.3f}) {  // 0.3: most of the error is saturation
        const QuantParams params = *ComputeQuantParams({share * sketch.min(), share * sketch.max()}, format);
        for (ErrorMetric metric : {ErrorMetric::kMeanAbsolute, ErrorMetric::kMeanSquare, ErrorMetric::kCosine}) {
          const double raw = RawError(values, params, format, metric);
          const double tolerance = name == "levels" ? 1e-4 : 0.02;  // few distinct values are points
          EXPECT_NEAR(ExpectedQuantizationError(d, params, format, metric), raw, tolerance * raw + 1e-12)
              << name << ' ' << share;
        }
      }
    }
  }
}

// A layer's biases where the image is empty: single values that occur thousands of times among many others. The mean of
// a bin tells where they are.
TEST(ExpectedQuantizationError, FrequentValuesAmongManyOthers) {
  std::vector<float> values = test::Gaussian(100000);
  for (size_t i = 0; i < values.size(); ++i) {
    if (i % 10 < 7) values[i] = 0.1234f + 0.271f * static_cast<float>(i % 10);
  }
  const Distribution d = Distribution::Signed(SketchOf(values));
  for (float share : {1.0f, 0.95f, 0.9f, 0.8f, 0.7f}) {
    const IntFormat format{DataType::kUInt8};
    const QuantParams params = *ComputeQuantParams({-4 * share, 4 * share}, format);
    for (ErrorMetric metric : {ErrorMetric::kMeanAbsolute, ErrorMetric::kMeanSquare, ErrorMetric::kCosine}) {
      const double raw = RawError(values, params, format, metric);
      // A frequent value almost at a tie may count for the code on the other side: as large an error, of the other
      // sign, which only the cosine feels.
      const double tolerance = metric == ErrorMetric::kCosine ? 0.02 : 0.005;
      EXPECT_NEAR(ExpectedQuantizationError(d, params, format, metric), raw, tolerance * raw) << share;
    }
  }
}

TEST(ExpectedQuantizationError, PointMassesAreExact) {
  const Distribution zeros = Distribution::Signed(SketchOf({0, 0, 0}));
  EXPECT_EQ(ExpectedQuantizationError(zeros, {0.1f, 7}, {DataType::kUInt8}, ErrorMetric::kMeanAbsolute), 0);
  const Distribution constant = Distribution::Signed(SketchOf({0.7f, 0.7f}));
  EXPECT_NEAR(ExpectedQuantizationError(constant, {0.5f, 0}, {DataType::kUInt8}, ErrorMetric::kMeanAbsolute), 0.2,
              1e-7);
  EXPECT_NEAR(ExpectedQuantizationError(constant, {0.5f, 0}, {DataType::kUInt8}, ErrorMetric::kMeanSquare), 0.04, 1e-7);
  // (0.7, 0.2) becomes (0.5, 0): the angle between them.
  const Distribution two = Distribution::Signed(SketchOf({0.7f, 0.2f}));
  EXPECT_NEAR(ExpectedQuantizationError(two, {0.5f, 0}, {DataType::kUInt8}, ErrorMetric::kCosine),
              1 - 0.7 / std::sqrt(0.49 + 0.04), 1e-7);
  EXPECT_EQ(ExpectedQuantizationError(zeros, {0.5f, 0}, {DataType::kUInt8}, ErrorMetric::kCosine), 0);
  EXPECT_EQ(ExpectedQuantizationError(constant, {5, 0}, {DataType::kUInt8}, ErrorMetric::kCosine), 1);
  EXPECT_EQ(ExpectedQuantizationError(Distribution::Signed(TensorSketch()), {}, {}, ErrorMetric::kMeanAbsolute), 0);
}

}  // namespace
}  // namespace preon
