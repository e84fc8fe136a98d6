#include "search/space/trial_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace preon {
namespace {

using ::testing::ElementsAre;

SearchTrial Trial(double sqnr_db, int64_t size, double speed) {
  return {.sqnr_db = sqnr_db, .size_bytes = size, .speedup = speed};
}

TEST(TrialOrder, TheGoalDecidesAmongThoseThatReachWhatIsRequired) {
  const SearchTrial good = Trial(30, 100, 1), small = Trial(20, 50, 1), fast = Trial(25, 100, 2);
  SearchTrial smaller = Trial(10, 20, 3), none;
  smaller.why_not = "required sqnr>=20, got 10";
  none.failed = "no model";
  EXPECT_TRUE(IsBetterTrial(good, fast, SearchGoal::kAccuracy));
  EXPECT_TRUE(IsBetterTrial(small, good, SearchGoal::kSize));
  EXPECT_TRUE(IsBetterTrial(fast, good, SearchGoal::kSpeed));
  EXPECT_TRUE(IsBetterTrial(good, smaller, SearchGoal::kSize));
  EXPECT_TRUE(IsBetterTrial(smaller, none, SearchGoal::kAccuracy));
}

TEST(TrialOrder, AMetricGoesBeforeTheError) {
  SearchTrial a = Trial(30, 1, 1), b = Trial(20, 1, 1);
  a.metric_loss = 0.02;
  b.metric_loss = 0.01;
  EXPECT_TRUE(IsBetterTrial(b, a, SearchGoal::kAccuracy));
  a.metric_loss = 0.01;
  EXPECT_TRUE(IsBetterTrial(a, b, SearchGoal::kAccuracy));
}

TEST(TrialOrder, LossesAreTheirPlaces) {
  std::vector<SearchTrial> trials = {Trial(10, 1, 1), Trial(30, 1, 1), {}, Trial(20, 1, 1)};
  trials[2].failed = "no model";
  std::vector<double> losses;
  for (const TriedPoint& each : AsTried(trials, std::vector<Point>(4), SearchGoal::kAccuracy))
    losses.push_back(each.loss.value_or(-1));
  EXPECT_THAT(losses, ElementsAre(2, 0, -1, 1));
}

TEST(TrialOrder, TheFrontIsWhatNothingBeats) {
  std::vector<SearchTrial> trials = {Trial(30, 100, 1), Trial(20, 50, 1), Trial(20, 60, 1), Trial(25, 100, 2), {}};
  trials[4].failed = "no model";
  MarkFront(trials);
  std::vector<bool> front;
  for (const SearchTrial& trial : trials) front.push_back(trial.on_front);
  EXPECT_THAT(front, ElementsAre(true, true, false, true, false));
}

TEST(TrialOrder, GoalsHaveNames) {
  EXPECT_EQ(*ParseSearchGoal(""), SearchGoal::kAccuracy);
  EXPECT_EQ(*ParseSearchGoal("speed"), SearchGoal::kSpeed);
  EXPECT_EQ(ParseSearchGoal("sped").status().id(), ErrorId::kUnknownOption);
}

}  // namespace
}  // namespace preon
