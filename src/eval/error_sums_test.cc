#include "eval/error_sums.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "eval/compare_models.h"

namespace preon {
namespace {

using Outputs = std::vector<NamedTensor>;

Outputs Named(const std::string& name, const Shape& shape, const std::vector<float>& values) {
  return {{name, Tensor::FromFloats(shape, values)}};
}

TEST(ErrorSumsOf, SumsWhatIsFinite) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const ErrorSums sums = ErrorSumsOf(Tensor::FromFloats({4}, std::vector<float>{1, 2, 3, nan}),
                                     Tensor::FromFloats({4}, std::vector<float>{1, 4, nan, 0}), nullptr);
  EXPECT_EQ(sums.signal, 5);
  EXPECT_EQ(sums.noise, 4);
  EXPECT_EQ(sums.not_finite, 1);
}

TEST(ErrorSumsOf, TakesOtherTypes) {
  const ErrorSums sums = ErrorSumsOf(Tensor::From<int64_t>(DataType::kInt64, {2}, std::vector<int64_t>{3, 4}),
                                     Tensor::From<int64_t>(DataType::kInt64, {2}, std::vector<int64_t>{3, 6}), nullptr);
  EXPECT_EQ(sums.signal, 25);
  EXPECT_EQ(sums.noise, 4);
}

// The same as a whole comparison gives.
// The two boxes eight times over: of each channel as many values as scores need.
Outputs Boxes(const std::vector<float>& two) {
  std::vector<float> all;
  for (int i = 0; i < 8; ++i) all.insert(all.end(), two.begin(), two.end());
  return Named("boxes", {1, 16, 4}, all);
}

TEST(MeanError, IsThatOfAComparison) {
  MeanError error({"state"});
  Comparer comparer;
  for (const float off : {0.5f, 0.25f}) {
    Outputs expected = Boxes({100, 200, 0.5, 0.25, 300, 50, 0.125, 1});
    Outputs got = Boxes({101, 200, 0.5f + off, 0.25, 300, 52, 0.125, 1});
    const Outputs state = Named("state", {1}, {1});
    ASSERT_TRUE(comparer.Add(expected, got, 1, {}).ok());
    expected.push_back(state[0]);
    got.push_back(Named("state", {1}, {9})[0]);
    ASSERT_TRUE(error.Add(expected, got)->has_value());
  }
  const Comparison comparison = comparer.Finish();
  const OutputComparison& boxes = comparison.outputs.at("boxes");
  ASSERT_TRUE(boxes.scores_sqnr_db.has_value());
  const double noise = std::pow(10, -boxes.sqnr_db / 10) + std::pow(10, -*boxes.scores_sqnr_db / 10);
  EXPECT_NEAR(*error.SqnrDb(), -10 * std::log10(noise / 2), 1e-9);
}

TEST(MeanError, AlsoOfPickedRuns) {
  MeanError error({}), of_picked({});
  for (const float off : {1.f, 2.f, 4.f}) {
    const bool picked = off != 2;
    const Outputs expected = Named("y", {2}, {10, off}), got = Named("y", {2}, {10 + off, off});
    ASSERT_TRUE(error.Add(expected, got, picked)->has_value());
    if (picked) {
      ASSERT_TRUE(of_picked.Add(expected, got)->has_value());
    }
  }
  EXPECT_EQ(error.SqnrDbOfPicked(), of_picked.SqnrDb());
  EXPECT_NE(error.SqnrDbOfPicked(), error.SqnrDb());
}

TEST(MeanError, LeavesOutWhatCanNotBeCompared) {
  MeanError error({});
  EXPECT_FALSE(error.Add(Named("y", {2}, {1, 2}), Named("y", {1}, {1}))->has_value());
  EXPECT_FALSE(error.SqnrDb().has_value());
  EXPECT_NEAR(error.Add(Named("y", {1}, {10}), Named("y", {1}, {11}))->value(), 20, 1e-9);
  EXPECT_NEAR(*error.SqnrDb(), 20, 1e-9);
  EXPECT_EQ(error.Add(Named("y", {1}, {10}), {}).status().id(), ErrorId::kNameNotInModel);
}

}  // namespace
}  // namespace preon
