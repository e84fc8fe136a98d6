#include "stats/sample_facts.h"

#include <gtest/gtest.h>

#include "stats/sampling.h"
#include "stats/sketch_testing.h"
#include "stats/tensor_sketch.h"

namespace preon {
namespace {

std::vector<SampleFacts> FactsOf(const std::vector<float>& values, int64_t samples, SketchMode mode,
                                 const ParallelFor& parallel_for = {}) {
  TensorSketch sketch({.mode = mode});
  std::vector<SampleFacts> facts;
  SketchStep step{.sketch = &sketch, .data = values.data(), .compute = {}, .facts = &facts};
  TensorSketch::UpdateTogether({&step, 1}, {.samples = samples, .inner = static_cast<int64_t>(values.size()) / samples},
                               parallel_for);
  return facts;
}

/// Over all values, not a subset.
SampleFacts BruteFacts(std::vector<float> values) {
  std::erase_if(values, [](float x) { return !std::isfinite(x); });
  if (values.empty()) return {};
  const auto [min, max] = std::ranges::minmax(values);
  for (float& value : values) value = std::fabs(value);
  std::ranges::sort(values);
  return {min + 0.0f, max + 0.0f, values[(99 * values.size() + 99) / 100 - 1]};
}

void ExpectEqual(const SampleFacts& found, const SampleFacts& wanted) {
  EXPECT_EQ(found.min, wanted.min);
  EXPECT_EQ(found.max, wanted.max);
  EXPECT_EQ(found.usual_largest, wanted.usual_largest);
  EXPECT_TRUE(found.IsConsistent());
}

TEST(SampleFacts, AreThoseOfEachSample) {
  for (const size_t size : {1, 3, 100, 8192}) {
    std::vector<float> all;
    std::vector<SampleFacts> wanted;
    for (uint32_t sample = 0; sample < 4; ++sample) {
      std::vector<float> values = SketchTestData(size, sample);
      if (sample == 1) values[0] = std::numeric_limits<float>::infinity();
      if (sample == 2) std::ranges::fill(values, -std::numeric_limits<float>::infinity());
      all.insert(all.end(), values.begin(), values.end());
      wanted.push_back(BruteFacts(values));
    }
    for (const SketchMode mode : {SketchMode::kSampled, SketchMode::kExact}) {
      const std::vector<SampleFacts> found = FactsOf(all, 4, mode);
      ASSERT_EQ(found.size(), 4u);
      for (size_t sample = 0; sample < 4; ++sample) ExpectEqual(found[sample], wanted[sample]);
    }
  }
}

TEST(SampleFacts, ThreadsBatchesAndModesGiveTheSame) {
  constexpr size_t kSize = 300001;
  std::vector<float> all = SketchTestData(2 * kSize, 7);
  const std::vector<float> second(all.begin() + kSize, all.end());
  const std::vector<SampleFacts> wanted = FactsOf(all, 2, SketchMode::kSampled);
  ExpectEqual(FactsOf(all, 2, SketchMode::kSampled, Threads(3))[1], wanted[1]);
  ExpectEqual(FactsOf(all, 2, SketchMode::kExact, Threads(2))[1], wanted[1]);
  ExpectEqual(FactsOf(second, 1, SketchMode::kSampled)[0], wanted[1]);
}

// The rank of the percentile of a subset is off by sqrt(0.01 · 0.99 / 1024) at most, one standard deviation.
TEST(SampleFacts, ASubsetOfALargeSampleTellsItsUsualLargest) {
  const std::vector<float> values = SketchTestData(400000, 5);
  const SampleFacts found = FactsOf(values, 1, SketchMode::kSampled)[0];
  size_t below = 0;
  for (const float value : values) below += std::fabs(value) <= found.usual_largest;
  EXPECT_NEAR(static_cast<double>(below) / 400000, 0.99, 4 * 0.0031);
  EXPECT_GT(SampleRate(values.size()), 1u);
}

TEST(SampleFacts, WantingThemChangesNoSketch) {
  const std::vector<float> values = SketchTestData(50000, 3);
  TensorSketch plain, asked;
  plain.Update(values);
  std::vector<SampleFacts> facts;
  SketchStep step{.sketch = &asked, .data = values.data(), .compute = {}, .facts = &facts};
  TensorSketch::UpdateTogether({&step, 1}, {.inner = 50000}, {});
  EXPECT_EQ(asked.Serialize(), plain.Serialize());
}

TEST(SampleFacts, ContradictionsAreSeen) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(SampleFacts().IsConsistent());
  EXPECT_TRUE((SampleFacts{-1, 2, 2}.IsConsistent()));
  for (const SampleFacts& facts : {SampleFacts{2, 1, 0},
                                   {inf, -inf, 1},
                                   {-1, 2, 3},
                                   {-1, 2, -1},
                                   {-0.0f, 2, 1},
                                   {nan, 2, 1},
                                   {-1, nan, 1},
                                   {-1, 2, nan},
                                   {-inf, 2, 1},
                                   {-1, inf, 1},
                                   {0, 1, -0.0f},
                                   {nan, nan, nan}})
    EXPECT_FALSE(facts.IsConsistent()) << facts.min << " " << facts.max << " " << facts.usual_largest;
}

}  // namespace
}  // namespace preon
