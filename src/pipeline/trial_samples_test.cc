#include "pipeline/trial_samples.h"

#include <gtest/gtest.h>

namespace preon {
namespace {

Batch BatchOfSize(int64_t index, int64_t elements) {
  Batch batch;
  batch.first_sample = index;
  batch.samples = 1;
  batch.feeds.push_back({"x", Tensor::FromFloats({elements}, std::vector<float>(static_cast<size_t>(elements)))});
  return batch;
}

TEST(TrialSamples, AreSpreadEvenlyOverHoweverManyThereAre) {
  TrialSamples trial;
  for (int64_t i = 0; i < 1000; ++i) {
    if (trial.Wants()) trial.Keep(BatchOfSize(i, 10), {});
  }
  ASSERT_GE(trial.runs().size(), 16u);
  ASSERT_LE(trial.runs().size(), 32u);
  const int64_t step = trial.runs()[1].batch.first_sample;
  for (size_t run = 0; run < trial.runs().size(); ++run)
    EXPECT_EQ(trial.runs()[run].batch.first_sample, static_cast<int64_t>(run) * step);
  EXPECT_GT(trial.runs().back().batch.first_sample, 900);
}

TEST(TrialSamples, MoreWhereRunsAreShortAndFewerWhereLong) {
  TrialSamples trial(0.25e6), slow(50e6);
  for (int64_t i = 0; i < 400; ++i) trial.Keep(BatchOfSize(i, 10), {});
  EXPECT_EQ(trial.runs().size(), 400u);
  for (int64_t i = 400; i < 2000; ++i) trial.Keep(BatchOfSize(i, 10), {});
  EXPECT_EQ(trial.runs().size(), 250u);
  for (int64_t i = 0; i < 64; ++i) slow.Keep(BatchOfSize(i, 10), {});
  EXPECT_EQ(slow.runs().size(), 16u);  // a third, evenly spread
  trial.Clear();
  EXPECT_TRUE(trial.runs().empty());
  EXPECT_TRUE(trial.Wants());
}

TEST(TrialSamples, WithoutAskingItIsTheSame) {
  TrialSamples asked, told;
  for (int64_t i = 0; i < 200; ++i) {
    if (asked.Wants()) asked.Keep(BatchOfSize(i, 10), {});
    told.Keep(BatchOfSize(i, 10), {});
  }
  ASSERT_EQ(asked.runs().size(), told.runs().size());
  for (size_t run = 0; run < told.runs().size(); ++run)
    EXPECT_EQ(asked.runs()[run].batch.first_sample, told.runs()[run].batch.first_sample);
}

TEST(TrialSamples, LargeOnesAreFewer) {
  TrialSamples trial;
  for (int64_t i = 0; i < 64; ++i) trial.Keep(BatchOfSize(i, 1 << 20), {});  // 4 MiB each
  EXPECT_GE(trial.runs().size(), 4u);
  EXPECT_LE(trial.runs().size(), 8u);
}

}  // namespace
}  // namespace preon
