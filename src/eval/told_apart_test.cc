#include "eval/told_apart.h"

#include <gtest/gtest.h>

namespace preon {
namespace {

ClassScores Scores(const std::vector<std::vector<float>>& rows) {
  ClassScores scores;
  for (const auto& row : rows) scores.Add(Tensor::FromFloats({1, static_cast<int64_t>(row.size())}, row));
  return scores;
}

TEST(ToldApart, CountsClearAndDifferentClasses) {
  EXPECT_NEAR(Scores({{9e3, 0, 0}, {0, 9e3, 0}, {0, 0, 9e3}}).ClassesToldApart(), 3, 1e-6);
  EXPECT_NEAR(Scores({{9e3, 0, 0}, {9e3, 0, 0}, {9e3, 0, 0}}).ClassesToldApart(), 1, 1e-6);  // clear, all the same
  EXPECT_NEAR(Scores({{1, 1, 1}, {2, 2, 2}}).ClassesToldApart(), 1, 1e-6);                   // nothing is clear
}

TEST(ToldApart, TakesProbabilitiesAsTheyAre) { EXPECT_NEAR(Scores({{1, 0}, {0, 1}}).ClassesToldApart(), 2, 1e-6); }

TEST(ToldApart, AgreementIsOfTheTopClass) {
  const ClassScores a = Scores({{3, 1}, {3, 1}}), b = Scores({{9, 1}, {1, 9}});
  EXPECT_EQ(a.Agreement(a), 1);
  EXPECT_EQ(a.Agreement(b), 0.5);
}

}  // namespace
}  // namespace preon
