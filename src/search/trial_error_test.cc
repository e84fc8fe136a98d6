#include "search/trial_error.h"

#include <gtest/gtest.h>

namespace preon {
namespace {

// Runs that differ by 20 dB, as those of one model do, and `behind` in turns.
TrialError ErrorOf(size_t runs, std::vector<double> behind, double prefix_db) {
  TrialError trial{.prefixes_db = {prefix_db}};
  for (size_t run = 0; run < runs; ++run)
    trial.runs_db.push_back((run % 2 == 0 ? 20.0 : 40.0) - behind[run % behind.size()]);
  return trial;
}

TEST(TrialRace, PairsOfRunsCount) {
  const TrialError best = ErrorOf(16, {0}, 25);
  EXPECT_TRUE(IsClearlyWorse(ErrorOf(8, {1.9, 2.1}, 23), best));
  EXPECT_FALSE(IsClearlyWorse(ErrorOf(8, {0.9, 1.0}, 23), best)) << "less than 1 dB";
  EXPECT_FALSE(IsClearlyWorse(ErrorOf(8, {-5, 10}, 23), best)) << "better in half of the runs";
  EXPECT_FALSE(IsClearlyWorse(ErrorOf(8, {2}, 24.5), best)) << "over all runs nearly as good";
  EXPECT_FALSE(IsClearlyWorse(ErrorOf(8, {-2}, 27), best));
  EXPECT_FALSE(IsClearlyWorse(best, best));
}

TEST(TrialRace, NothingIsClearWithoutEnoughRuns) {
  const TrialError best = ErrorOf(16, {0}, 25);
  EXPECT_FALSE(IsClearlyWorse(ErrorOf(3, {9}, 16), best));
  TrialError some = ErrorOf(12, {9}, 16);
  EXPECT_TRUE(IsClearlyWorse(some, best));
  for (size_t run = 0; run < 9; ++run) some.runs_db[run] = std::nullopt;  // an output of another shape
  EXPECT_FALSE(IsClearlyWorse(some, best));
  some.prefixes_db = {std::nullopt};
  EXPECT_FALSE(IsClearlyWorse(some, best));
}

TEST(TrialRace, FourRunsHaveToBeTwiceAsClearAsEight) {
  const TrialError best = ErrorOf(16, {0}, 25);
  EXPECT_TRUE(IsClearlyWorse(ErrorOf(4, {2.4, 2.6}, 22.5), best));
  EXPECT_FALSE(IsClearlyWorse(ErrorOf(4, {1.4, 1.6}, 23.5), best)) << "less than 2 dB";
  EXPECT_TRUE(IsClearlyWorse(ErrorOf(8, {1.4, 1.6}, 23.5), best));
  EXPECT_FALSE(IsClearlyWorse(ErrorOf(4, {1, 5}, 22), best)) << "within 6 standard errors";
  EXPECT_TRUE(IsClearlyWorse(ErrorOf(8, {1, 5}, 22), best));
}

}  // namespace
}  // namespace preon
