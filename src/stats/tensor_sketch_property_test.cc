// Update and Merge commute exactly: whatever way the same samples go into sketches, the bytes are the same.
#include <gtest/gtest.h>

#include "kernels/kernel_testing.h"
#include "stats/sketch_testing.h"
#include "stats/tensor_sketch.h"

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace preon {
namespace {

using Samples = std::vector<std::vector<float>>;

// All of one size: so they can also be one batch.
Samples MakeSamples(size_t count, size_t size, uint32_t seed) {
  Samples samples;
  for (uint32_t sample = 0; sample < count; ++sample) {
    std::vector<float> values = SketchTestData(size, seed * 100 + sample);
    if (sample == 0) std::fill(values.begin(), values.end(), 0.0f);
    if (sample == 2) values = WithEdgeValues(std::move(values), sample, 400);
    if (sample == 3)
      for (float& value : values) value *= 1e-40f;
    samples.push_back(std::move(values));
  }
  return samples;
}

std::string BytesInOrder(const Samples& samples, SketchMode mode) {
  TensorSketch sketch({.mode = mode, .mean_channels = 1});
  for (const auto& values : samples) sketch.Update(values);
  return sketch.Serialize();
}

class SketchProperty : public ::testing::TestWithParam<std::tuple<SketchMode, size_t>> {
 protected:
  const SketchMode mode_ = std::get<0>(GetParam());
  const size_t size_ = std::get<1>(GetParam());
};

TEST_P(SketchProperty, OrderDoesNotMatter) {
  Samples samples = MakeSamples(7, size_, 1);
  const std::string wanted = BytesInOrder(samples, mode_);
  std::mt19937 random(1);
  for (int round = 0; round < 6; ++round) {
    std::shuffle(samples.begin(), samples.end(), random);
    ASSERT_EQ(BytesInOrder(samples, mode_), wanted) << "round " << round;
  }
}

TEST_P(SketchProperty, MergesOfAnyShapeDoNotMatter) {
  const Samples samples = MakeSamples(7, size_, 2);
  const std::string wanted = BytesInOrder(samples, mode_);
  std::mt19937 random(2);
  for (int round = 0; round < 6; ++round) {
    std::vector<TensorSketch> parts(1 + random() % 5, TensorSketch({.mode = mode_, .mean_channels = 1}));
    for (const auto& values : samples) parts[random() % parts.size()].Update(values);
    while (parts.size() > 1) {
      std::swap(parts[random() % parts.size()], parts.back());
      const TensorSketch last = std::move(parts.back());
      parts.pop_back();
      // Through bytes, as shards go.
      ASSERT_TRUE(parts[random() % parts.size()].Merge(*TensorSketch::Parse(last.Serialize())).ok());
    }
    ASSERT_EQ(parts[0].Serialize(), wanted) << "round " << round;
  }
}

TEST_P(SketchProperty, BatchesAndThreadsDoNotMatter) {
  const Samples samples = MakeSamples(7, size_, 3);
  const std::string wanted = BytesInOrder(samples, mode_);
  std::vector<float> all;
  for (const auto& values : samples) all.insert(all.end(), values.begin(), values.end());
  for (const size_t batch : {1, 2, 3, 7}) {
    for (const size_t threads : {0, 1, 2, 5}) {
      TensorSketch sketch({.mode = mode_, .mean_channels = 1});
      for (size_t first = 0; first < samples.size(); first += batch) {
        const size_t count = std::min(batch, samples.size() - first);
        sketch.Update(all.data() + first * size_,
                      {.samples = static_cast<int64_t>(count), .inner = static_cast<int64_t>(size_)},
                      threads == 0 ? ParallelFor() : Threads(threads));
      }
      ASSERT_EQ(sketch.Serialize(), wanted) << "batch " << batch << " threads " << threads;
    }
  }
}

TEST_P(SketchProperty, UpdatesAtTheSameTimeDoNotMatter) {
  const Samples samples = MakeSamples(12, size_, 6);
  const SketchConfig config{.mode = mode_, .channels = 1, .mean_channels = 1};
  TensorSketch one_by_one(config), at_once(config);
  for (const auto& values : samples) one_by_one.Update(values);
  Threads(4)(samples.size(), [&](size_t sample) { at_once.Update(samples[sample]); });
  EXPECT_EQ(at_once.Serialize(), one_by_one.Serialize());
}

TEST_P(SketchProperty, InstructionSetsDoNotMatter) {
  const Samples samples = MakeSamples(4, size_, 4);
  const std::string wanted = BytesInOrder(samples, mode_);
  ForEachKernelTarget([&](const std::string& target) { EXPECT_EQ(BytesInOrder(samples, mode_), wanted) << target; });
}

#if defined(__SSE2__)
TEST_P(SketchProperty, FlushToZeroDoesNotMatter) {
  const Samples samples = MakeSamples(4, size_, 5);
  const std::string wanted = BytesInOrder(samples, mode_);
  const unsigned saved = _mm_getcsr();
  _mm_setcsr(saved | 0x8040);
  const std::string flushed = BytesInOrder(samples, mode_);
  const unsigned left = _mm_getcsr();
  _mm_setcsr(saved);
  EXPECT_EQ(flushed, wanted);
  EXPECT_EQ(left & 0xffc0, (saved | 0x8040) & 0xffc0) << "the caller's setting was changed";
}
#endif

INSTANTIATE_TEST_SUITE_P(Sizes, SketchProperty,
                         ::testing::Combine(::testing::Values(SketchMode::kSampled, SketchMode::kExact),
                                            ::testing::Values(1, 777, 8192, 8193, 70000)));

TEST(SketchProperty, SmallAndLargeSamplesMix) {
  Samples samples;
  for (uint32_t sample = 0; sample < 8; ++sample) samples.push_back(SketchTestData(sample % 2 ? 300 : 20000, sample));
  const std::string wanted = BytesInOrder(samples, SketchMode::kSampled);
  std::mt19937 random(6);
  for (int round = 0; round < 10; ++round) {
    std::shuffle(samples.begin(), samples.end(), random);
    ASSERT_EQ(BytesInOrder(samples, SketchMode::kSampled), wanted);
    TensorSketch small({.mean_channels = 1}), large({.mean_channels = 1});
    for (const auto& values : samples) (values.size() < 1000 ? small : large).Update(values);
    TensorSketch both = random() % 2 ? small : large;
    ASSERT_TRUE(both.Merge(both.Serialize() == small.Serialize() ? large : small).ok());
    ASSERT_EQ(both.Serialize(), wanted);
  }
}

// The first large sample comes while a small one is being counted, which has no tail of its own.
TEST(SketchProperty, SamplingBeginsInAnUpdate) {
  std::vector<float> small = SketchTestData(300, 1);
  const std::vector<float> large = SketchTestData(20000, 2);
  TensorSketch sketch;
  SketchStep step{&sketch, small.data(), [&](int64_t, int64_t) { sketch.Update(large); }};
  TensorSketch::UpdateTogether({&step, 1}, {.inner = 300}, {});
  TensorSketch wanted;
  wanted.Update(large);
  wanted.Update(small);
  EXPECT_EQ(sketch.Serialize(), wanted.Serialize());
}

TEST(SketchProperty, MirroredDataGiveTheMirroredHistogram) {
  std::vector<float> values = SketchTestData(30000, 9);
  TensorSketch sketch, mirrored;
  sketch.Update(values);
  for (float& value : values) value = -value;
  mirrored.Update(values);
  Histogram histogram = sketch.ReadHistogram(), other = mirrored.ReadHistogram();
  std::reverse(other.counts.begin(), other.counts.end());
  EXPECT_EQ(histogram.counts, other.counts);
  EXPECT_EQ(histogram.lower_edge + static_cast<double>(histogram.counts.size()) * histogram.width, -other.lower_edge);
}

TEST(SketchProperty, ScalingTheDataByAPowerOfTwoScalesTheHistogram) {
  std::vector<float> values = SketchTestData(30000, 10);
  TensorSketch sketch, scaled;
  sketch.Update(values);
  for (float& value : values) value *= 64;
  scaled.Update(values);
  EXPECT_EQ(sketch.ReadHistogram().counts, scaled.ReadHistogram().counts);
  EXPECT_EQ(sketch.ReadHistogram().width * 64, scaled.ReadHistogram().width);
}

}  // namespace
}  // namespace preon
