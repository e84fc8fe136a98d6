#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "algorithms/algorithms.h"
#include "algorithms/last_axis_squares.h"

namespace preon {
namespace {

using testing::ElementsAre;
using testing::FloatEq;

// y = x · w, w of 2 rows and 1 column.
struct OneMatMul {
  OneMatMul() {
    model.graph.AddInput("x", {DataType::kFloat, Shape{1, 2}, {}, {}, {}});
    constexpr float kWeight[] = {1, 2};
    model.graph.SetInitializer("w", Tensor::FromFloats({2, 1}, kWeight));
    model.graph.AddNode("MatMul", {"x", "w"}, {"y"}, "product");
    plan.nbits.nodes = {"product"};
  }

  Model model;
  QuantPlan plan;
};

TEST(WeightImportance, IsTheMeanSquareOfTheInput) {
  const OneMatMul one;
  const std::unique_ptr<Algorithm> algorithm = MakeWeightImportanceAlgorithm();
  const StatisticsRequest request = algorithm->Needs(one.model.graph, one.plan);
  ASSERT_THAT(request.KindsOf("x"), ElementsAre(&LastAxisSquares(2)));
  const auto statistic = LastAxisSquares(2).Make();
  const float values[] = {1, 3, -1, 3};  // mean squares 1 and 9, 5 in the mean
  ASSERT_TRUE(statistic->Update(values, {.channels = 2, .inner = 2}, {}).ok());
  CollectedStatistics collected;
  collected.others[std::string(LastAxisSquares(2).name())]["x"] = statistic->Serialize();
  const auto hook = algorithm->Apply(one.model.graph, one.plan, collected);
  EXPECT_THAT((*hook)->ImportanceOfInputs("product"), ElementsAre(FloatEq(0.21f), FloatEq(1.81f)));
  EXPECT_TRUE((*hook)->ImportanceOfInputs("another").empty());
}

TEST(WeightImportance, AsksForNothingWhereGridsHaveAnotherRuleOrCodesAreBytes) {
  OneMatMul one;
  one.plan.nbits.options.method = WeightMethod::kMinMax;
  EXPECT_TRUE(MakeWeightImportanceAlgorithm()->Needs(one.model.graph, one.plan).empty());
  one.plan.nbits.options = {.bits = 8};
  EXPECT_TRUE(MakeWeightImportanceAlgorithm()->Needs(one.model.graph, one.plan).empty());
}

TEST(LastAxisSquares, MergesInAnyOrderAndForgetsBlocksOfChannels) {
  const float values[] = {1, -5, 3, 2, INFINITY, 1};
  const StatisticKind& kind = LastAxisSquares(2);
  const auto one = kind.Make(), other = kind.Make(), merged = kind.Make();
  ASSERT_TRUE(one->Update(values, {.channels = 1, .inner = 2}, {}).ok());
  ASSERT_TRUE(other->Update(values + 2, {.channels = 2, .inner = 2}, {}).ok());
  ASSERT_TRUE(merged->Merge(other->Serialize()).ok());
  ASSERT_TRUE(merged->Merge(one->Serialize()).ok());
  ASSERT_TRUE(one->Merge(other->Serialize()).ok());
  EXPECT_EQ(one->Serialize(), merged->Serialize());
  EXPECT_THAT(ParseLastAxisSquares(one->Serialize()), ElementsAre(10.0 / 3, 30.0 / 3));
  const auto of_matrix = kind.Make();
  ASSERT_TRUE(of_matrix->Update(values, {.outer = 2, .channels = 2}, {}).ok());
  EXPECT_THAT(ParseLastAxisSquares(of_matrix->Serialize()), ElementsAre(10.0 / 2, 29.0 / 2));
  ASSERT_TRUE(one->Update(values, {.channels = 2, .inner = 1, .block = 2}, {}).ok());
  EXPECT_TRUE(ParseLastAxisSquares(one->Serialize()).empty());
  EXPECT_FALSE(one->Merge("\x05").ok());
}

}  // namespace
}  // namespace preon
