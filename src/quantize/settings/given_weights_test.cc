#include "quantize/settings/given_weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/test_graphs.h"

namespace preon {
namespace {

using ::testing::HasSubstr;

// [2, 3]: the first row reaches to 127, the second to 12.7.
Tensor Weight(float factor) {
  const std::vector<float> values = {127 * factor, -3, 5, 0.5F, -12.7F * factor, 2};
  return Tensor::FromFloats({2, 3}, values);
}

Graph With(const Tensor& weight) {
  Graph graph;
  graph.SetInitializer("w", weight);
  return graph;
}

using Given = std::map<std::string, TensorOverride>;

const Given kPerRow = {{"w", {.type = DataType::kInt8, .channels = 2, .channel_params = {{1, 0}, {0.1, 0}}}}};
const Given kForAll = {{"w", {.type = DataType::kInt8, .params = QuantParams{1, 0}}}};

TEST(GivenWeights, ARewriteThatTakesAWeightAwayFromItsScaleIsRefused) {
  for (const Given& given : {kPerRow, kForAll}) {
    for (const float factor : {0.25F, 8.0F}) {
      const Status refused = CheckGivenWeights(With(Weight(1)), With(Weight(factor)), given);
      EXPECT_EQ(refused.id(), ErrorId::kPassFailed);
      EXPECT_THAT(refused.message(), HasSubstr("'w'"));
    }
  }
}

TEST(GivenWeights, OneThatMakesTheTrainedWeightIsNot) {
  for (const Given& given : {kPerRow, kForAll})
    EXPECT_TRUE(CheckGivenWeights(With(Weight(0.25)), With(Weight(1)), given).ok());
}

TEST(GivenWeights, ABitMayBeLeftFree) {
  const Tensor uneven = Tensor::FromFloats({2, 3}, std::vector<float>{127, -3, 5, 0.5F, -5, 2});
  EXPECT_EQ(CheckGivenWeights(With(Weight(0.5)), With(uneven), kPerRow).id(), ErrorId::kPassFailed);
  EXPECT_TRUE(CheckGivenWeights(With(uneven), With(Weight(0.5)), kPerRow).ok());
}

TEST(GivenWeights, EqualWeightsAndOthersAreNotLookedAt) {
  EXPECT_TRUE(CheckGivenWeights(With(Weight(5)), With(Weight(5)), kPerRow).ok());
  EXPECT_TRUE(CheckGivenWeights(With(Weight(1)), With(Weight(8)), {}).ok());
  EXPECT_TRUE(CheckGivenWeights(With(Weight(1)), Graph(), kPerRow).ok());
}

TEST(GivenWeights, AnotherShapeFitsNoScalesPerChannel) {
  const Tensor turned = Weight(1).Reshaped({3, 2});
  EXPECT_FALSE(
      CheckGivenWeights(With(Weight(8)), With(Tensor::FromFloats({6}, std::vector<float>(6, 1))), kPerRow).ok());
  EXPECT_TRUE(CheckGivenWeights(With(Tensor::FromFloats({6}, std::vector<float>(6, 1))), With(turned), kPerRow).ok());
}

}  // namespace
}  // namespace preon
