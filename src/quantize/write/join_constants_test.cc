#include "quantize/write/join_constants.h"

#include <gtest/gtest.h>

namespace preon {
namespace {

Tensor Filled(int64_t count, float value) {
  Tensor tensor = Tensor::Allocate(DataType::kFloat, {count});
  std::ranges::fill(tensor.Mutable<float>(), value);
  return tensor;
}

TEST(JoinFloatConstants, EqualValuesAreStoredOnce) {
  Graph graph;
  graph.AddInput("x", {.type = DataType::kFloat, .shape = Shape{256}});
  graph.SetInitializer("w", Filled(256, 1));
  graph.SetInitializer("w_1", Filled(256, 1));
  graph.SetInitializer("other", Filled(256, 2));
  graph.SetInitializer("small", Filled(8, 1));
  graph.SetInitializer("small_1", Filled(8, 1));
  const Node* first = graph.AddNode("Add", {"x", "w"}, {"a"});
  const Node* second = graph.AddNode("Add", {"a", "w_1"}, {"b"});
  graph.AddNode("Add", {"b", "other"}, {"c"});
  graph.AddNode("Add", {"small", "small_1"}, {"d"});
  JoinFloatConstants(graph);
  EXPECT_EQ(first->input(1), second->input(1));
  EXPECT_EQ(graph.initializers().size(), 4u);
  EXPECT_TRUE(graph.CheckIntegrity().ok());
}

TEST(JoinFloatConstants, GraphOutputsKeepTheirNames) {
  Graph graph;
  graph.AddInput("x", {.type = DataType::kFloat, .shape = Shape{256}});
  graph.SetInitializer("a", Filled(256, 1));
  graph.SetInitializer("out", Filled(256, 1));
  graph.AddOutput("out", {.type = DataType::kFloat, .shape = Shape{256}});
  const Node* node = graph.AddNode("Add", {"x", "a"}, {"y"});
  JoinFloatConstants(graph);
  EXPECT_EQ(node->input(1), "out");
  EXPECT_EQ(graph.initializers().size(), 1u);
}

}  // namespace
}  // namespace preon
