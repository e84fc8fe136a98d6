#include "eval/per_sample.h"

#include <gtest/gtest.h>

#include <cmath>

namespace preon {
namespace {

SampleSums Of(std::initializer_list<std::pair<double, double>> values) {
  SampleSums sums;
  for (const auto& [a, b] : values) {
    sums.signal += a * a;
    sums.other += b * b;
    sums.dot += a * b;
    sums.noise += (a - b) * (a - b);
  }
  return sums;
}

TEST(PerSampleTest, MeansAndExtremesOverSamples) {
  PerSampleFigures figures;
  figures.Add(Of({{3, 3}, {4, 4}}));   // cosine 1, distance 0
  figures.Add(Of({{3, 4}, {4, 3}}));   // cosine 24/25, distance sqrt(2)
  figures.Add(Of({{1, 0}, {0, -2}}));  // cosine 0, distance sqrt(5)
  const PerSample got = *figures.Figures();
  EXPECT_DOUBLE_EQ(got.cosine_mean, (1 + 0.96 + 0) / 3);
  EXPECT_DOUBLE_EQ(got.cosine_min, 0);
  EXPECT_DOUBLE_EQ(got.l2_mean, (std::sqrt(2.0) + std::sqrt(5.0)) / 3);
  EXPECT_DOUBLE_EQ(got.l2_max, std::sqrt(5.0));
}

TEST(PerSampleTest, ZeroVectors) {
  EXPECT_EQ(CosineOf(Of({{0, 0}})), 1);
  EXPECT_EQ(CosineOf(Of({{0, 1}})), 0);
  EXPECT_EQ(CosineOf(Of({{1, 0}})), 0);
  EXPECT_EQ(CosineOf(Of({{2, -2}})), -1);
}

TEST(PerSampleTest, NoneWithoutSamples) { EXPECT_FALSE(PerSampleFigures().Figures()); }

}  // namespace
}  // namespace preon
