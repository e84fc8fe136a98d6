#include "ranges/refine/output_tensors.h"

#include <gtest/gtest.h>

#include "ir/test_graphs.h"

namespace preon {
namespace {

using test::GraphBuilder;

std::set<std::string> Behind(const Graph& graph) {
  std::set<std::string> tensors(graph.inputs().begin(), graph.inputs().end());
  for (const auto& node : graph.nodes()) tensors.insert(node->output());
  return FindOutputTensors(graph, tensors);
}

TEST(FindOutputTensors, WhatIsOnlyDecoded) {
  GraphBuilder g({1, 4, 8, 8});
  g.Op("Relu", {"x"}, "a");
  g.Op("MatMul", {"a", "a"}, "scores");
  g.Op("Sigmoid", {"scores"}, "s");
  g.Op("Concat", {"s", "scores"}, "y");
  g.Op("ReduceMean", {"a"}, "mean");
  for (const char* output : {"y", "mean"}) g.Output(output);
  EXPECT_EQ(Behind(g.model.graph), (std::set<std::string>{"scores", "s", "y", "mean"}));
}

TEST(FindOutputTensors, AnOutputThatOthersGoOnFrom) {
  GraphBuilder g({1, 4, 8, 8});
  g.Op("Relu", {"x"}, "a");
  g.Op("MatMul", {"a", "a"}, "y");
  for (const char* output : {"a", "y"}) g.Output(output);
  EXPECT_EQ(Behind(g.model.graph), (std::set<std::string>{"y"}));
}

TEST(FindOutputTensors, SidesOfBoxesAreDecodedByTheMeanThatASoftmaxWeights) {
  GraphBuilder g({1, 4, 8, 8});
  g.Conv("x", "head");
  g.model.graph.AddNode("Split", {"head"}, {"sides", "scores"}, "split");
  g.Op("Softmax", {"sides"}, "share");
  g.Op("Transpose", {"share"}, "turned");
  g.Conv("turned", "distance");
  g.Op("Sigmoid", {"scores"}, "score");
  for (const char* output : {"distance", "score"}) g.Output(output);
  std::set<std::string> behind = Behind(g.model.graph);
  EXPECT_TRUE(behind.contains("head") && behind.contains("sides"));
  EXPECT_FALSE(behind.contains("x"));
}

TEST(FindOutputTensors, OperatorsOfOtherDomainsMaySumUp) {
  GraphBuilder g({1, 4, 8, 8});
  g.Op("Relu", {"x"}, "a");
  g.model.graph.AddNode("FusedConv", {"a"}, {"y"}, "", "com.microsoft");
  g.Output("y");
  EXPECT_EQ(Behind(g.model.graph), (std::set<std::string>{"y"}));
}

}  // namespace
}  // namespace preon
