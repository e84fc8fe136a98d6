// Plain, channels-last and blocked layouts of the same values: same counts and extremes, per tensor and per channel.
#include <gtest/gtest.h>

#include <limits>

#include "stats/sketch_testing.h"
#include "stats/tensor_sketch.h"

namespace preon {
namespace {

struct Shape4 {
  int64_t samples, channels, inner;
};

// [samples][channels][inner] -> [samples][ceil(channels / block)][inner][block] with NaN as padding.
std::vector<float> ToBlocked(const std::vector<float>& plain, const Shape4& shape, int64_t block) {
  const int64_t blocks = (shape.channels + block - 1) / block;
  std::vector<float> out(static_cast<size_t>(shape.samples * blocks * shape.inner * block),
                         std::numeric_limits<float>::quiet_NaN());
  for (int64_t sample = 0; sample < shape.samples; ++sample) {
    for (int64_t channel = 0; channel < shape.channels; ++channel) {
      for (int64_t i = 0; i < shape.inner; ++i) {
        out[static_cast<size_t>(((sample * blocks + channel / block) * shape.inner + i) * block + channel % block)] =
            plain[static_cast<size_t>((sample * shape.channels + channel) * shape.inner + i)];
      }
    }
  }
  return out;
}

void ExpectSameContents(const TensorSketch& got, const TensorSketch& wanted) {
  EXPECT_EQ(got.count(), wanted.count());
  EXPECT_EQ(got.samples(), wanted.samples());
  EXPECT_EQ(got.zero_count(), wanted.zero_count());
  EXPECT_EQ(got.nan_count(), wanted.nan_count());
  EXPECT_EQ(got.min(), wanted.min());
  EXPECT_EQ(got.max(), wanted.max());
  EXPECT_NEAR(got.mean(), wanted.mean(), 1e-5 * std::sqrt(wanted.variance()));
  EXPECT_EQ(got.ReadHistogram().counts, wanted.ReadHistogram().counts);
  EXPECT_TRUE(std::ranges::equal(got.channel_min(), wanted.channel_min()));
  EXPECT_TRUE(std::ranges::equal(got.channel_max(), wanted.channel_max()));
  EXPECT_EQ(got.channel_means(), wanted.channel_means());
}

// From the subset: within some standard errors of the mean over all values.
TEST(SketchLayout, SampledMeansOfChannels) {
  const Shape4 shape{20, 24, 3000};
  std::vector<float> plain = SketchTestData(static_cast<size_t>(shape.samples * shape.channels * shape.inner), 8);
  for (size_t i = 0; i < plain.size(); ++i) plain[i] += static_cast<float>(i / 3000 % 24);
  const SketchConfig config{.mean_channels = shape.channels};
  TensorSketch exact({.mode = SketchMode::kExact, .mean_channels = shape.channels}), sketch(config), blocked(config);
  const ChannelLayout layout{.samples = shape.samples, .channels = shape.channels, .inner = shape.inner};
  exact.Update(plain.data(), layout);
  sketch.Update(plain.data(), layout, Threads(2));
  ChannelLayout in_blocks = layout;
  in_blocks.block = 16;
  blocked.Update(ToBlocked(plain, shape, 16).data(), in_blocks, Threads(3));
  for (size_t channel = 0; channel < 24; ++channel) {
    const double tolerance = 6 * std::sqrt(exact.variance() / (20 * 3000.0 / 256));
    EXPECT_NEAR(sketch.channel_means()[channel], exact.channel_means()[channel], tolerance);
    EXPECT_NEAR(blocked.channel_means()[channel], exact.channel_means()[channel], tolerance);
  }
}

TEST(SketchLayout, BlockedAndChannelsLastEqualPlain) {
  for (const Shape4& shape :
       {Shape4{2, 3, 50}, Shape4{1, 16, 49}, Shape4{3, 35, 400}, Shape4{2, 17, 1}, Shape4{1, 40, 3000}}) {
    SCOPED_TRACE(std::to_string(shape.channels) + "x" + std::to_string(shape.inner));
    const std::vector<float> plain =
        SketchTestData(static_cast<size_t>(shape.samples * shape.channels * shape.inner), 3);
    const SketchConfig config{.mode = SketchMode::kExact, .channels = shape.channels, .mean_channels = shape.channels};
    TensorSketch wanted(config);
    wanted.Update(plain.data(), {.samples = shape.samples, .channels = shape.channels, .inner = shape.inner});
    for (int64_t channel = 0; channel < shape.channels; ++channel) {
      float min = std::numeric_limits<float>::infinity();
      for (int64_t sample = 0; sample < shape.samples; ++sample) {
        const float* row = plain.data() + (sample * shape.channels + channel) * shape.inner;
        min = std::min(min, *std::min_element(row, row + shape.inner));
      }
      ASSERT_EQ(wanted.channel_min()[static_cast<size_t>(channel)], min);
      double sum = 0;
      for (int64_t sample = 0; sample < shape.samples; ++sample) {
        for (int64_t i = 0; i < shape.inner; ++i)
          sum += plain[static_cast<size_t>((sample * shape.channels + channel) * shape.inner + i)];
      }
      ASSERT_NEAR(wanted.channel_means()[static_cast<size_t>(channel)],
                  sum / static_cast<double>(shape.samples * shape.inner), 1e-6);
    }
    for (const int64_t block : {8, 16}) {
      const std::vector<float> blocked = ToBlocked(plain, shape, block);
      const ChannelLayout layout{
          .samples = shape.samples, .channels = shape.channels, .inner = shape.inner, .block = block};
      TensorSketch sketch(config), parallel(config);
      sketch.Update(blocked.data(), layout);
      parallel.Update(blocked.data(), layout, Threads(3));
      ExpectSameContents(sketch, wanted);
      EXPECT_EQ(parallel.Serialize(), sketch.Serialize());
    }
    const std::vector<float> last =
        ToBlocked(plain, shape, shape.channels);  // one block of all channels = channels last
    TensorSketch sketch(config);
    sketch.Update(last.data(), {.samples = shape.samples, .outer = shape.inner, .channels = shape.channels});
    ExpectSameContents(sketch, wanted);
  }
}

TEST(SketchLayout, OuterDimensionsBeforeTheChannels) {
  const std::vector<float> values = SketchTestData(2 * 5 * 3 * 7, 4);
  const SketchConfig config{.channels = 3};
  TensorSketch sketch(config);
  sketch.Update(values.data(), {.samples = 2, .outer = 5, .channels = 3, .inner = 7});
  std::vector<float> max(3, -std::numeric_limits<float>::infinity());
  for (size_t i = 0; i < values.size(); ++i) max[i / 7 % 3] = std::max(max[i / 7 % 3], values[i]);
  EXPECT_TRUE(std::ranges::equal(sketch.channel_max(), max));
}

TEST(SketchLayout, ChannelWithoutFiniteValues) {
  const std::vector<float> values = {std::numeric_limits<float>::quiet_NaN(), 2};
  TensorSketch sketch({.channels = 2});
  sketch.Update(values.data(), {.channels = 2});
  EXPECT_EQ(sketch.channel_min()[0], std::numeric_limits<float>::infinity());
  EXPECT_EQ(sketch.channel_max()[0], -std::numeric_limits<float>::infinity());
  EXPECT_EQ(sketch.channel_max()[1], 2);
  EXPECT_TRUE(TensorSketch::Parse(sketch.Serialize()).ok());
}

}  // namespace
}  // namespace preon
