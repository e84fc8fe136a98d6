#include "data/sample_runs.h"

#include <gtest/gtest.h>

namespace preon {
namespace {

TEST(SampleRuns, CanonicalSortsAndJoins) {
  EXPECT_EQ(*Canonical({{5, 7}, {0, 2}, {9, 9}, {2, 3}, {10, 11}}), (SampleRuns{{0, 3}, {5, 7}, {10, 11}}));
  EXPECT_EQ(*Canonical({}), SampleRuns{});
}

TEST(SampleRuns, ShardsOfEverySecondSampleJoinIntoOneRun) {
  SampleRuns runs;
  for (int64_t start : {1, 0}) {
    for (int64_t sample = start; sample < 100; sample += 2) runs.emplace_back(sample, sample + 1);
  }
  EXPECT_EQ(*Canonical(runs), (SampleRuns{{0, 100}}));
}

TEST(SampleRuns, TheSameSampleTwiceIsAnError) {
  const Status status = Canonical({{0, 4}, {3, 5}}).status();
  EXPECT_EQ(status.id(), ErrorId::kCalibFileMismatch);
  EXPECT_EQ(status.message(), "sample 3 was seen twice");
}

TEST(SampleRuns, IsCanonical) {
  EXPECT_TRUE(IsCanonical({}));
  EXPECT_TRUE(IsCanonical({{0, 1}, {2, 5}}));
  for (const SampleRuns& runs :
       {SampleRuns{{0, 1}, {1, 2}}, {{2, 3}, {0, 1}}, {{1, 1}}, {{3, 2}}, {{-4, 1}}, {{0, 5}, {3, 7}}}) {
    EXPECT_FALSE(IsCanonical(runs));
  }
}

TEST(SampleRuns, WithoutOthers) {
  EXPECT_EQ(WithoutRuns({{0, 10}}, {{1, 2}, {4, 6}}), (SampleRuns{{0, 1}, {2, 4}, {6, 10}}));
  EXPECT_EQ(WithoutRuns({{0, 3}, {5, 8}}, {{0, 6}, {9, 20}}), (SampleRuns{{6, 8}}));
  EXPECT_EQ(WithoutRuns({{0, 3}}, {}), (SampleRuns{{0, 3}}));
  EXPECT_TRUE(WithoutRuns({{2, 3}}, {{0, 5}}).empty());
}

TEST(SampleRuns, Count) { EXPECT_EQ(CountSamples({{0, 3}, {10, 14}}), 7); }

}  // namespace
}  // namespace preon
