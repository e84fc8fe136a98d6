#include "search/outputs_as_floats.h"

#include <gtest/gtest.h>

namespace preon {
namespace {

TEST(OutputsAsFloats, AreInFrontOfCasts) {
  Graph graph;
  graph.AddInput("x", {.type = DataType::kFloat, .shape = Shape{4}, .dim_names = {""}});
  graph.AddNode("Relu", {"x"}, {"y"});
  graph.SetInfo("y", {.type = DataType::kFloat});
  graph.AddNode("Cast", {"y"}, {"half"});
  graph.AddNode("Sigmoid", {"y"}, {"z"});
  graph.AddOutput("half", {.type = DataType::kFloat16});
  graph.AddOutput("z", {.type = DataType::kFloat});
  EXPECT_EQ(OutputsAsFloats(graph), (std::vector<std::string>{"y", "z"}));
}

}  // namespace
}  // namespace preon
