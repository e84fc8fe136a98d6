#include <gtest/gtest.h>

#include <limits>

#include "ranges/percentile_range.h"
#include "ranges/range_methods.h"
#include "ranges/test_sketches.h"

namespace preon {
namespace {

using test::SketchOf;

const std::vector<IntFormat> kFormats = {
    {DataType::kUInt8}, {DataType::kInt8, true}, {DataType::kUInt4}, {DataType::kInt4, true}};

std::string Describe(const std::string& tensor, const IntFormat& format) {
  return StrCat(tensor, " ", DataTypeName(format.type), format.symmetric ? " symmetric" : "");
}

/// Mean square error over the raw values, in double.
double ErrorWith(const std::vector<float>& values, const QuantParams& params, const IntFormat& format) {
  double sum = 0;
  for (const float x : values) {
    const double error = x - static_cast<double>(params.scale) * (EncodeValue(x, params, format) - params.zero_point);
    sum += error * error;
  }
  return sum / static_cast<double>(values.size());
}

double MinMseError(const std::vector<float>& values, const Range& range, const IntFormat& format,
                   ScaleType scale_type = ScaleType::kFloat32) {
  return ErrorWith(values, *ComputeQuantParams(range, format, scale_type), format);
}

/// The smallest error with `steps` shares of either end, or of both together if symmetric.
double SmallestError(const std::vector<float>& values, const IntFormat& format, int steps) {
  const Range observed = *ObservedRange(SketchOf(values));
  const float largest = std::max(-observed.min, observed.max);
  double best = std::numeric_limits<double>::infinity();
  for (int i = 1; i <= steps; ++i) {
    const float share = static_cast<float>(i) / static_cast<float>(steps);
    if (format.symmetric) {
      best = std::min(best, MinMseError(values, Range{-share * largest, share * largest}, format));
      continue;
    }
    for (int j = 1; j <= steps; ++j) {
      const float other = static_cast<float>(j) / static_cast<float>(steps);
      best = std::min(best, MinMseError(values, Range{share * observed.min, other * observed.max}, format));
    }
  }
  return best;
}

// All values of a small tensor are points of the sketch, so its errors are the raw ones and only the search can fall
// short; the brute force has a coarser grid and may, too.
TEST(MinMse, WithinOnePercentOfBruteForce) {
  for (const auto& [name, values] : test::ActivationLikeTensors(400)) {
    const TensorSketch sketch = SketchOf(values);
    for (const IntFormat& format : kFormats) {
      const double best = SmallestError(values, format, format.symmetric ? 2000 : 60);
      const Range range = *MakeMinMseMethod()->Choose(sketch, {format});
      const double ratio = MinMseError(values, range, format) / best;
      EXPECT_LE(ratio, 1.01) << Describe(name, format);
      EXPECT_GE(ratio, 0.8) << Describe(name, format);
    }
  }
}

std::vector<test::NamedValues> PropertyTensors() {
  std::vector<test::NamedValues> tensors = test::ActivationLikeTensors(50000);
  std::vector<float> laplace(50000), bimodal = test::Gaussian(50000, 5), cauchy(50000);
  std::mt19937 random(7);
  std::exponential_distribution<float> exponential;
  std::cauchy_distribution<float> heavy;
  for (size_t i = 0; i < laplace.size(); ++i) {
    laplace[i] = exponential(random) - exponential(random);
    bimodal[i] = i % 3 == 0 ? 4 + 0.5f * bimodal[i] : -2 + bimodal[i];
    cauchy[i] = heavy(random);
  }
  tensors.insert(tensors.end(), {{"laplace", laplace}, {"bimodal", bimodal}, {"cauchy", cauchy}});
  return tensors;
}

TEST(MinMse, NeverWorseThanWhatOthersChoose) {
  for (const auto& [name, values] : PropertyTensors()) {
    for (SketchMode mode : {SketchMode::kExact, SketchMode::kSampled}) {
      const TensorSketch sketch = SketchOf(values, mode);
      const double tolerance = mode == SketchMode::kExact ? 1.005 : 1.02;  // sampled: of estimates of the bulk
      for (const IntFormat& format : kFormats) {
        for (ScaleType scale_type : {ScaleType::kFloat32, ScaleType::kInt16}) {
          const auto error = [&](const RangeMethod& method, const MethodOptions& options = {}) {
            return MinMseError(values, *(*method.WithOptions(options))->Choose(sketch, {format, scale_type}), format,
                               scale_type);
          };
          const double ours = error(*MakeMinMseMethod());
          for (const double other :
               {error(*MakeMinMaxMethod()), error(*MakePercentileMethod()),
                error(*MakePercentileMethod(), {{"Percentile", "99.99"}}), error(*MakeLayerwisePercentileMethod()),
                error(*MakeLayerwisePercentileMethod(), {{"LWPMetric", "mse"}})}) {
            EXPECT_LE(ours, tolerance * other) << Describe(name, format) << ' ' << ScaleTypeName(scale_type);
          }
        }
      }
    }
  }
}

TEST(MinMse, PowerOfTwoIsTheBestOfFive) {
  for (const auto& [name, values] : PropertyTensors()) {
    const TensorSketch sketch = SketchOf(values);
    for (const IntFormat& format : kFormats) {
      const QuantParams observed = *ComputeQuantParams(*ObservedRange(sketch), format, ScaleType::kPowerOfTwo);
      double best = std::numeric_limits<double>::infinity();
      for (float factor : {2.0f, 1.0f, 0.5f, 0.25f, 0.125f}) {
        best = std::min(best, ErrorWith(values, {observed.scale * factor, observed.zero_point}, format));
      }
      const Range range = *MakeMinMseMethod()->Choose(sketch, {format, ScaleType::kPowerOfTwo});
      const QuantParams chosen = *ComputeQuantParams(range, format, ScaleType::kPowerOfTwo);
      EXPECT_EQ(chosen.zero_point, observed.zero_point) << Describe(name, format);
      EXPECT_LE(ErrorWith(values, chosen, format), 1.005 * best) << Describe(name, format);
    }
  }
}

// Against the definition written out: values beyond the percentile leave, and the five scales are those around the
// rest.
TEST(MinMse, PercentileModeSearchesOverTheValuesThatAreKept) {
  const MethodOptions options = {{"MinMSEModePof2Scale", "Percentile"}, {"Percentile", "99"}};
  const auto method = *MakeMinMseMethod()->WithOptions(options);
  int other_than_all = 0;
  for (const auto& [name, values] : PropertyTensors()) {
    const TensorSketch sketch = SketchOf(values);
    for (const IntFormat& format : kFormats) {
      const Range kept_range = *PercentileRange(sketch, 99, format.symmetric);
      std::vector<float> kept;
      for (float x : values) {
        if (x >= kept_range.min && x <= kept_range.max) kept.push_back(x);
      }
      const QuantParams base = *ComputeQuantParams(kept_range, format, ScaleType::kPowerOfTwo);
      double best = std::numeric_limits<double>::infinity();
      for (float factor : {2.0f, 1.0f, 0.5f, 0.25f, 0.125f})
        best = std::min(best, ErrorWith(kept, {base.scale * factor, base.zero_point}, format));
      const RangeQuery query{format, ScaleType::kPowerOfTwo};
      const Range range = *method->Choose(sketch, query);
      const QuantParams chosen = *ComputeQuantParams(range, format, ScaleType::kPowerOfTwo);
      EXPECT_EQ(chosen.zero_point, base.zero_point) << Describe(name, format);
      EXPECT_LE(ErrorWith(kept, chosen, format), 1.01 * best) << Describe(name, format);
      other_than_all += range != *MakeMinMseMethod()->Choose(sketch, query);
    }
  }
  EXPECT_GE(other_than_all, 5);
  EXPECT_EQ(method->Choose(SketchOf({1, 2, 5}), {kFormats[0]}).status().id(), ErrorId::kConflictingOptions);
}

// The optimal clips of a normal distribution, Banner et al. 2019 (ACIQ), table of α*/σ: 2.55 for 4 bits, 3.92 for 8.
TEST(MinMse, OfANormalDistribution) {
  std::vector<float> values = test::Gaussian(1000000);
  const TensorSketch sketch = SketchOf(values);
  EXPECT_NEAR(MakeMinMseMethod()->Choose(sketch, {{DataType::kInt4, true}})->max, 2.55, 0.1);
  EXPECT_NEAR(MakeMinMseMethod()->Choose(sketch, {{DataType::kInt8, true}})->max, 3.92, 0.1);
}

TEST(MinMse, NothingToGainKeepsTheObservedRange) {
  const auto choose = [](const std::vector<float>& values) {
    return *MakeMinMseMethod()->Choose(SketchOf(values), {{DataType::kUInt8}});
  };
  EXPECT_EQ(choose({0, 1, 2, 255}), (Range{0, 255})) << "every value is a code";
  std::vector<float> flat(1001);
  for (size_t i = 0; i < flat.size(); ++i) flat[i] = static_cast<float>(i) - 300;
  EXPECT_GT(choose(flat).max, 0.99f * 700);
  EXPECT_LT(choose(flat).min, 0.99f * -300);
}

TEST(MinMse, Options) {
  const std::vector<float> values = test::Gaussian(10000);
  const auto symmetric = *MakeMinMseMethod()->WithOptions({{"symmetric", "true"}});
  const Range range = *symmetric->Choose(SketchOf(values), {{DataType::kUInt4}});
  EXPECT_EQ(range.min, -range.max);
  const auto id = [](const char* mode) {
    return MakeMinMseMethod()->WithOptions({{"MinMSEModePof2Scale", mode}}).status().id();
  };
  EXPECT_TRUE(MakeMinMseMethod()->WithOptions({{"MinMSEModePof2Scale", "MostCommon"}}).ok());
  EXPECT_EQ(MakeMinMseMethod()->WithOptions({{"Percentile", "99"}}).status().id(), ErrorId::kConflictingOptions);
  EXPECT_EQ(id("Most"), ErrorId::kBadOptionValue);
  EXPECT_TRUE(MakeMinMseMethod()->WithOptions({{"MinMSEModePof2Scale", "All"}}).ok());
}

// Int8, 127 codes to either side: samples up to 127/32 want the scale 1/32, those up to 127/16 want 1/16.
TEST(MinMse, MostCommonIsAVoteOfTheSamples) {
  const auto method = *MakeMinMseMethod()->WithOptions({{"MinMSEModePof2Scale", "MostCommon"}});
  const IntFormat format{DataType::kInt8, true};
  const auto choose = [&](const std::vector<float>& largest_of_samples) {
    const auto collector = *method->Collect({format, ScaleType::kPowerOfTwo});
    for (const float largest : largest_of_samples) {
      std::vector<float> sample;
      for (int code = -127; code <= 127; ++code) sample.push_back(largest * static_cast<float>(code) / 127);
      collector->Add(sample);
    }
    return *collector->Finish({});
  };
  const float narrow = 127.0f / 32, wide = 127.0f / 16;
  EXPECT_EQ(choose({narrow, wide, narrow}), (Range{-narrow, narrow}));
  EXPECT_EQ(choose({wide, narrow, wide}), (Range{-wide, wide}));
  EXPECT_EQ(choose({wide, narrow}), (Range{-narrow, narrow})) << "a tie goes to the smaller scale";
  EXPECT_EQ(choose({0, 0, wide}), (Range{-wide, wide})) << "zeros don't vote";
  EXPECT_EQ(choose({0}), Range{});
  EXPECT_EQ(method->Choose(SketchOf({1}), {format, ScaleType::kPowerOfTwo}).status().id(),
            ErrorId::kConflictingOptions);
  EXPECT_EQ(method->Collect({format}).status().id(), ErrorId::kConflictingOptions);
  EXPECT_EQ(method->Collect({{DataType::kUInt8}, ScaleType::kPowerOfTwo}).status().id(), ErrorId::kConflictingOptions);
}

}  // namespace
}  // namespace preon
