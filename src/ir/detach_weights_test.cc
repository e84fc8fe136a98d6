#include <gtest/gtest.h>

#include "ir/model_io.h"

namespace preon {
namespace {

TEST(DetachWeightsTest, LargeWeightsStayWhereTheyAre) {
  Model model;
  model.ir_version = 8;
  model.opsets = {{"", 13}};
  model.graph.name = "graph";
  model.graph.AddInput("x", {.type = DataType::kFloat, .shape = Shape{1, 512}});
  model.graph.SetInitializer("large", Tensor::Allocate(DataType::kFloat, {512}));
  model.graph.SetInitializer("small", Tensor::ScalarFloat(2));
  model.graph.AddNode("Add", {"x", "large"}, {"sum"});
  model.graph.AddNode("Mul", {"sum", "small"}, {"y"});
  model.graph.AddOutput("y", {.type = DataType::kFloat});

  const Result<DetachedModel> detached = DetachWeights(model);
  ASSERT_TRUE(detached.ok()) << detached.status().ToString();
  EXPECT_LT(detached.value().bytes.size(), 1024u);
  ASSERT_EQ(detached.value().weights.size(), 1u);
  EXPECT_EQ(detached.value().weights[0].name, "large");
  EXPECT_EQ(detached.value().weights[0].tensor.bytes().data(), model.graph.Initializer("large")->bytes().data());
}

}  // namespace
}  // namespace preon
