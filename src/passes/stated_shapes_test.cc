#include "passes/stated_shapes.h"

#include <gtest/gtest.h>

#include "ir/model_io.h"
#include "ir/test_graphs.h"

namespace preon {
namespace {

// One inner tensor that the file states, one that it does not.
Model Inferred() {
  test::GraphBuilder builder({1, 4});
  builder.Op("Exp", {"x"}, "stated", {1, 4});
  builder.model.graph.AddNode("Exp", {"stated"}, {"inner"});
  builder.model.graph.AddNode("Exp", {"inner"}, {"y"});
  builder.model.graph.AddOutput("y", test::FloatInfo({1, 4}));
  InferShapes(builder.model);
  return std::move(builder.model);
}

TEST(SettleShapes, KeepsWhatTheFileStates) {
  Model model = Inferred();
  ASSERT_NE(model.graph.Info("inner"), nullptr);
  SettleShapes(model, /*all=*/false);
  EXPECT_EQ(model.graph.Info("inner"), nullptr);
  for (const char* tensor : {"x", "stated", "y"}) EXPECT_NE(model.graph.Info(tensor), nullptr) << tensor;
}

TEST(SettleShapes, AllWhereTheyAreAskedFor) {
  Model model = Inferred();
  SettleShapes(model, /*all=*/true);
  for (const char* tensor : {"x", "stated", "inner", "y"}) EXPECT_NE(model.graph.Info(tensor), nullptr) << tensor;
}

}  // namespace
}  // namespace preon
