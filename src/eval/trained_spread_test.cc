#include "eval/trained_spread.h"

#include <gtest/gtest.h>

#include "ir/test_models.h"

namespace preon {
namespace {

// x [1, 3, 16, 16] -> Conv -> BatchNormalization whose statistics are those of Wave.
Model Normalized(bool conv) {
  Model model = test::EmptyModel({1, 3, 16, 16});
  if (conv) test::AddConv(model, "x", "c", 3, 3);
  for (const char* name : {"gamma", "beta", "mean", "variance"})
    model.graph.SetInitializer(name, Tensor::FromFloats({3}, std::vector<float>(3, *name == 'v' ? 0.34f : 0)));
  model.graph.AddNode("BatchNormalization", {conv ? "c" : "x", "gamma", "beta", "mean", "variance"}, {"y"}, "bn");
  model.graph.AddOutput("y", {});
  return model;
}

SpreadAgainstTraining Measure(const Model& model, float factor) {
  const std::optional<TrainedLayers> layers = FindTrainedLayers(model, "x");
  EXPECT_TRUE(layers.has_value());
  Tensor sample = Tensor::Allocate(DataType::kFloat, {1, 3, 16, 16});
  const Tensor wave = test::Wave({1, 3, 16, 16});
  for (size_t at = 0; at < wave.floats().size(); ++at) sample.Mutable<float>()[at] = factor * wave.floats()[at];
  const RunContext context;
  return *MeasureSpread(*layers, {&sample, 1}, context);
}

TEST(TrainedSpread, OfTheInputItself) {
  const SpreadAgainstTraining right = Measure(Normalized(false), 1), wrong = Measure(Normalized(false), 255);
  EXPECT_NEAR(right.ratio, 1, 0.05);
  EXPECT_LT(right.divergence, 0.01);
  EXPECT_NEAR(wrong.ratio, 255 * right.ratio, 1);
  EXPECT_GT(wrong.divergence, 1000);
}

TEST(TrainedSpread, BehindLinearOperators) {
  const SpreadAgainstTraining one = Measure(Normalized(true), 1), ten = Measure(Normalized(true), 10);
  EXPECT_NEAR(ten.ratio, 10 * one.ratio, 1e-3 * ten.ratio);
}

TEST(TrainedSpread, NothingWithoutANearBatchNormalization) {
  EXPECT_FALSE(FindTrainedLayers(test::EmptyModel({1, 3, 16, 16}), "x").has_value());
  Model curved = Normalized(false);
  curved.graph.AddNode("Exp", {"x"}, {"e"}, "", "", curved.graph.FindNode("bn"));
  curved.graph.SetInput(curved.graph.FindNode("bn"), 0, "e");
  EXPECT_FALSE(FindTrainedLayers(curved, "x").has_value());
}

}  // namespace
}  // namespace preon
