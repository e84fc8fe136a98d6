#include "formats/weight_calibration.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace preon {
namespace {

const std::vector<IntFormat> kFormats = {
    {DataType::kInt8, true}, {DataType::kUInt8}, {DataType::kInt4, true}, {DataType::kInt16, true}};

/// [4, 3, 5, 5], each output channel from another distribution.
Tensor Weight() {
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  std::vector<float> values(4 * 75);
  for (size_t i = 0; i < values.size(); ++i) {
    const float x = normal(random);
    values[i] = i < 75 ? x : i < 150 ? x * std::exp(std::abs(x)) : i < 225 ? std::abs(x) : 0.01f * x;
  }
  values[80] = 60;
  return Tensor::FromFloats({4, 3, 5, 5}, values);
}

double SquareError(std::span<const float> values, const QuantParams& params, const IntFormat& format) {
  double sum = 0;
  for (const float x : values) {
    const double error = x - static_cast<double>(params.scale) * (EncodeValue(x, params, format) - params.zero_point);
    sum += error * error;
  }
  return sum;
}

double SquareError(std::span<const float> values, const Range& range, const IntFormat& format, ScaleType type) {
  return SquareError(values, *ComputeQuantParams(range, format, type), format);
}

std::vector<Range> Ranges(const Tensor& weight, const IntFormat& format, ScaleType type, WeightRule rule) {
  return *CalibrateWeight(weight, 0, format, type, rule);
}

TEST(CalibrateWeight, MinMaxIsTheExtremes) {
  const Tensor weight = Weight();
  for (int axis : {-1, 0, 1}) {
    const std::vector<Range> extremes = *WeightRanges(weight, axis);
    EXPECT_EQ(*CalibrateWeight(weight, axis, kFormats[0], ScaleType::kFloat32, {}), extremes);
    EXPECT_EQ(*CalibrateWeight(weight, axis, kFormats[0], ScaleType::kPowerOfTwo, {WeightMethod::kMinMax}), extremes);
  }
}

TEST(CalibrateWeight, MinMseIsNeverWorseThanTheExtremes) {
  const Tensor weight = Weight();
  int better = 0;
  for (const IntFormat& format : kFormats) {
    for (ScaleType type : {ScaleType::kFloat32, ScaleType::kPowerOfTwo, ScaleType::kInt16}) {
      for (WeightSearch search : {WeightSearch::kAll, WeightSearch::kPercentile, WeightSearch::kHistCenter}) {
        const std::vector<Range> ranges = Ranges(weight, format, type, {WeightMethod::kMinMse, search});
        const std::vector<Range> extremes = *WeightRanges(weight, 0);
        for (size_t channel = 0; channel < 4; ++channel) {
          const std::span<const float> values = weight.floats().subspan(channel * 75, 75);
          const double error = SquareError(values, ranges[channel], format, type);
          const double of_extremes = SquareError(values, extremes[channel], format, type);
          EXPECT_LE(error, of_extremes * (1 + 1e-5)) << channel;
          better += error < 0.9 * of_extremes;
        }
      }
    }
  }
  EXPECT_GE(better, 10);
}

// Brute force: every scale of a fine grid, the error in double.
TEST(CalibrateWeight, AllIsNearTheBestClip) {
  const Tensor weight = Weight();
  for (const IntFormat& format : {kFormats[0], kFormats[2]}) {
    const std::vector<Range> ranges = Ranges(weight, format, ScaleType::kFloat32, {WeightMethod::kMinMse});
    for (size_t channel = 0; channel < 4; ++channel) {
      const std::span<const float> values = weight.floats().subspan(channel * 75, 75);
      const Range extremes = (*WeightRanges(weight, 0))[channel];
      double best = std::numeric_limits<double>::infinity();
      for (int step = 200; step <= 1000; ++step) {
        const float share = static_cast<float>(step) / 1000;
        best = std::min(
            best, SquareError(values, Range{share * extremes.min, share * extremes.max}, format, ScaleType::kFloat32));
      }
      EXPECT_LE(SquareError(values, ranges[channel], format, ScaleType::kFloat32), 1.1 * best) << channel;
    }
  }
}

TEST(CalibrateWeight, PowerOfTwoIsTheBestOfFive) {
  const Tensor weight = Weight();
  for (const IntFormat& format : kFormats) {
    const std::vector<Range> ranges = Ranges(weight, format, ScaleType::kPowerOfTwo, {});
    for (size_t channel = 0; channel < 4; ++channel) {
      const std::span<const float> values = weight.floats().subspan(channel * 75, 75);
      const QuantParams observed =
          *ComputeQuantParams((*WeightRanges(weight, 0))[channel], format, ScaleType::kPowerOfTwo);
      double best = std::numeric_limits<double>::infinity();
      for (float factor : {2.0f, 1.0f, 0.5f, 0.25f, 0.125f})
        best = std::min(best, SquareError(values, {observed.scale * factor, observed.zero_point}, format));
      EXPECT_LE(SquareError(values, ranges[channel], format, ScaleType::kPowerOfTwo), best * (1 + 1e-5)) << channel;
    }
  }
}

// By hand: 5 bins of width 1 over [0, 5] with centres 0.5, 1.5, …; pairs are the bins (n - i) / 2 and (n + i) / 2.
TEST(CalibrateWeight, HistCenterTakesPairsOfCentres) {
  const auto choose = [](const std::vector<float>& values) {
    const Tensor weight = Tensor::FromFloats({static_cast<int64_t>(values.size())}, values);
    return (*CalibrateWeight(weight, -1, {DataType::kUInt4}, ScaleType::kFloat32,
                             {WeightMethod::kMinMse, WeightSearch::kHistCenter}))[0];
  };
  // Four of the five are in the first bin, one in the last. Over the bins the steps of [1.5, 3.5] err by 0.03 and 1,
  // those of [1.5, 4.5], the next pair, by 0.1 and 0. Over the values these err by 0.1 where four are and by 0.5 at 5,
  // together by 0.28; those of [0, 5] by 0.17 in three places: 0.08.
  EXPECT_EQ(choose({0, 0.5f, 0.5f, 0.5f, 5}), (Range{0, 5}));
  // Many small values and the centres' step is the better one over the values, too.
  std::vector<float> many(2000, 0.3f);
  many.push_back(5);
  many.push_back(0);
  const Range range = choose(many);
  EXPECT_LT(range.max, 5);
  EXPECT_GT(range.max, 4);
}

TEST(CalibrateWeight, HardTensors) {
  for (const std::vector<float>& values :
       {std::vector<float>{0, 0, 0}, {0.7f, 0.7f}, {-3}, {1e-42f, -3e-43f}, {1e38f, -1e38f, 1}, {0, 0, 0, 5}}) {
    const Tensor weight = Tensor::FromFloats({static_cast<int64_t>(values.size())}, values);
    for (WeightSearch search : {WeightSearch::kAll, WeightSearch::kPercentile, WeightSearch::kHistCenter}) {
      for (ScaleType type : {ScaleType::kFloat32, ScaleType::kPowerOfTwo, ScaleType::kInt16}) {
        for (const IntFormat& format : kFormats) {
          const Result<std::vector<Range>> ranges =
              CalibrateWeight(weight, -1, format, type, {WeightMethod::kMinMse, search});
          ASSERT_TRUE(ranges.ok());
          const Result<QuantParams> params = ComputeQuantParams((*ranges)[0], format, type);
          ASSERT_TRUE(params.ok()) << values[0];
          EXPECT_TRUE(IsScaleOf(params->scale, type)) << values[0];
        }
      }
    }
  }
  const Tensor none = Tensor::FromFloats({0, 3}, {});
  EXPECT_EQ((*CalibrateWeight(none, 1, {DataType::kInt8, true}, ScaleType::kFloat32, {WeightMethod::kMinMse})).size(),
            3u);
  const Tensor nan = Tensor::FromFloats({1}, std::vector<float>{std::nanf("")});
  EXPECT_EQ(CalibrateWeight(nan, -1, {DataType::kInt8}, ScaleType::kFloat32, {}).status().id(),
            ErrorId::kRangeNotFinite);
  EXPECT_EQ(CalibrateWeight(none, 5, {DataType::kInt8}, ScaleType::kFloat32, {}).status().id(),
            ErrorId::kQuantizeFailed);
}

TEST(WeightRule, Names) {
  EXPECT_EQ(*ParseWeightMethod("ExtendedCalibrationMethod.MinMSE"), WeightMethod::kMinMse);
  EXPECT_EQ(*ParseWeightMethod("CalibrationMethod.MinMax"), WeightMethod::kMinMax);
  EXPECT_EQ(*ParseWeightSearch("histcenter"), WeightSearch::kHistCenter);
  EXPECT_EQ(ParseWeightMethod("minmsee").status().id(), ErrorId::kUnknownOption);
  EXPECT_EQ(ParseWeightSearch("Most").status().id(), ErrorId::kUnknownOption);
  for (const std::string& name : WeightMethodNames()) EXPECT_EQ(WeightMethodName(*ParseWeightMethod(name)), name);
  EXPECT_EQ(WeightRule{}.method_for(ScaleType::kPowerOfTwo), WeightMethod::kMinMse);
  EXPECT_EQ(WeightRule{}.method_for(ScaleType::kInt16), WeightMethod::kMinMax);
}

}  // namespace
}  // namespace preon
