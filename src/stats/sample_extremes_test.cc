#include "stats/sample_extremes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "stats/tensor_sketch.h"

namespace preon {
namespace {

TEST(SampleExtremes, MeanAndMedianOfTheSamples) {
  std::mt19937 random(1);
  std::lognormal_distribution<float> sizes(0, 1.5f);
  for (const size_t samples : {1, 2, 7, 100}) {
    TensorSketch sketch;
    std::vector<double> highest;
    double sum = 0;
    for (size_t sample = 0; sample < samples; ++sample) {
      const float size = sizes(random);
      sketch.Update(std::vector<float>{-size / 2, 0, size});
      highest.push_back(size);
      sum += size;
    }
    std::ranges::sort(highest);
    const double median = (highest[(samples - 1) / 2] + highest[samples / 2]) / 2;
    EXPECT_NEAR(sketch.mean_extremes().max, sum / static_cast<double>(samples), 1e-6 * sum);
    EXPECT_NEAR(sketch.mean_extremes().min, -sum / 2 / static_cast<double>(samples), 1e-6 * sum);
    EXPECT_NEAR(sketch.median_extremes().max, median, median / 100);
    EXPECT_NEAR(sketch.median_extremes().min, -median / 2, median / 100);
  }
}

TEST(SampleExtremes, EachSampleOfABatchCounts) {
  std::vector<float> batch(3 * 20000, 0.5f);
  batch[10000] = 8;
  batch[20000] = 1;
  batch[59999] = -3;
  TensorSketch sketch;
  sketch.Update(batch.data(), {.samples = 3, .inner = 20000});
  EXPECT_DOUBLE_EQ(sketch.mean_extremes().max, (8 + 1 + 0.5) / 3);
  EXPECT_DOUBLE_EQ(sketch.mean_extremes().min, (0.5 + 0.5 - 3) / 3);
  EXPECT_NEAR(sketch.median_extremes().max, 1, 0.01);
}

TEST(SampleExtremes, NoSamples) {
  EXPECT_EQ(TensorSketch().mean_extremes().max, 0);
  EXPECT_EQ(TensorSketch().median_extremes().min, 0);
}

TEST(LogCounts, BytesGiveTheSameCounts) {
  LogCounts counts;
  for (const float value : {-3e38f, -1.0f, 0.0f, 1e-45f, 1.0f, 1.01f, 3e38f}) counts.Add(value);
  counts.Settle();
  WireWriter out;
  counts.Write(out);
  const std::string bytes = out.Take();
  WireReader in(bytes);
  const LogCounts read = LogCounts::Read(in);
  EXPECT_TRUE(in.AtEnd());
  EXPECT_EQ(read.total(), counts.total());
  EXPECT_EQ(read.Median(), counts.Median());
  EXPECT_EQ(read.Mean(), counts.Mean());
}

}  // namespace
}  // namespace preon
