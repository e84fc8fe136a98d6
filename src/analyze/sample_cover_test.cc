#include "analyze/sample_cover.h"

#include <gtest/gtest.h>

#include "analyze/test_extents.h"

namespace preon {
namespace {

bool Reaches(const std::vector<SampleExtents>& tensors, const std::vector<size_t>& samples, double tolerance) {
  for (const SampleExtents& extents : tensors) {
    Extent reached;
    for (const size_t sample : samples) reached.Widen(extents.samples[sample].min, extents.samples[sample].max);
    const double slack = tolerance * extents.all.length();
    if (reached.max < extents.all.max - slack || reached.min > extents.all.min + slack) return false;
  }
  return true;
}

size_t FewestByTrial(const std::vector<SampleExtents>& tensors, double tolerance) {
  const size_t samples = tensors.front().samples.size();
  size_t fewest = samples;
  for (uint32_t subset = 1; subset < 1u << samples; ++subset) {
    std::vector<size_t> chosen;
    for (size_t sample = 0; sample < samples; ++sample) {
      if ((subset >> sample & 1) != 0) chosen.push_back(sample);
    }
    if (chosen.size() < fewest && Reaches(tensors, chosen, tolerance)) fewest = chosen.size();
  }
  return fewest;
}

TEST(SampleCover, ReachesAllNeedsEachAndComesNearTheFewest) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const std::vector<SampleExtents> tensors = test::RandomExtents(3 + seed % 5, 10, seed);
    for (const double tolerance : {0.0, 0.05, 0.3}) {
      const SampleCover cover = CoverExtremes(tensors, tolerance);
      EXPECT_TRUE(Reaches(tensors, cover.samples, tolerance)) << seed;
      for (size_t without = 0; cover.samples.size() > 1 && without < cover.samples.size(); ++without) {
        std::vector<size_t> fewer = cover.samples;
        fewer.erase(fewer.begin() + static_cast<ptrdiff_t>(without));
        EXPECT_FALSE(Reaches(tensors, fewer, tolerance)) << seed << " " << without;
      }
      EXPECT_LE(cover.samples.size(), FewestByTrial(tensors, tolerance) + 1) << seed;
    }
  }
}

TEST(SampleCover, AWiderToleranceWantsFewer) {
  const std::vector<SampleExtents> tensors = {test::ExtentsFrom({{0, 10}, {0, 9.5f}}),
                                              test::ExtentsFrom({{0, 9.5f}, {0, 10}})};
  EXPECT_EQ(CoverExtremes(tensors, 0.01).samples, std::vector<size_t>({0, 1}));
  EXPECT_EQ(CoverExtremes(tensors, 0.1).samples, std::vector<size_t>({0}));
  EXPECT_EQ(CoverExtremes(tensors, 0.1).extremes, 2u);
}

TEST(SampleCover, ZerosNeedOneSampleToRun) {
  const std::vector<SampleExtents> zeros = {test::ExtentsFrom({{0, 0}, {0, 0}})};
  EXPECT_EQ(CoverExtremes(zeros, 0.01).samples, std::vector<size_t>({0}));
  EXPECT_EQ(CoverExtremes(zeros, 0.01).extremes, 0u);
}

}  // namespace
}  // namespace preon
