#include "passes/support/batch_norm.h"

#include <gtest/gtest.h>

#include <cmath>

namespace preon {
namespace {

constexpr int64_t kChannels = 64;

Model OneBatchNorm() {
  Model model;
  model.graph.AddInput("x", {DataType::kFloat, Shape{1, kChannels, 2, 2}});
  for (const char* parameter : {"gamma", "beta", "mean", "var"}) {
    std::vector<float> values;
    for (int channel = 0; channel < kChannels; ++channel)
      values.push_back(0.3f + 0.017f * static_cast<float>(channel) * static_cast<float>(parameter[0] - 'a'));
    model.graph.SetInitializer(parameter, Tensor::FromFloats({kChannels}, values));
  }
  model.graph.AddNode("BatchNormalization", {"x", "gamma", "beta", "mean", "var"}, {"y"}, "bn");
  return model;
}

TEST(MatchBatchNorm, InFloatEachStepIsRounded) {
  Model model = OneBatchNorm();
  model.graph.FindNode("bn")->attributes["epsilon"] = 1e-5f;
  const auto once = MatchBatchNorm(model.graph, *model.graph.FindNode("bn"));
  const auto steps = MatchBatchNorm(model.graph, *model.graph.FindNode("bn"), kQuarkArithmetic);
  const auto gamma = model.graph.Initializer("gamma")->floats(), var = model.graph.Initializer("var")->floats();
  ASSERT_TRUE(once && steps);
  int differ = 0;
  for (size_t channel = 0; channel < kChannels; ++channel) {
    const float scale = gamma[channel] / std::sqrt(var[channel] + 1e-5f);
    EXPECT_EQ(steps->scale[channel], double{scale});
    EXPECT_EQ(steps->shift[channel], static_cast<double>(static_cast<float>(steps->shift[channel])));
    EXPECT_NEAR(once->scale[channel], scale, 1e-6);
    EXPECT_NEAR(once->shift[channel], steps->shift[channel], 1e-5);
    differ += static_cast<float>(once->scale[channel]) != scale ? 1 : 0;
  }
  EXPECT_GT(differ, 0);
  EXPECT_LT(differ, kChannels);
}

TEST(MatchBatchNorm, AMissingEpsilon) {
  const Model model = OneBatchNorm();
  const Node& node = *model.graph.FindNode("bn");
  const double gamma = model.graph.Initializer("gamma")->floats()[0], var = model.graph.Initializer("var")->floats()[0];
  EXPECT_NEAR(MatchBatchNorm(model.graph, node)->scale[0], gamma / std::sqrt(var + 1e-5), 1e-9);
  EXPECT_NEAR(MatchBatchNorm(model.graph, node, {.missing_epsilon = 0.5f})->scale[0], gamma / std::sqrt(var + 0.5),
              1e-9);
}

}  // namespace
}  // namespace preon
