#include "calib/derived_tensors.h"

#include <gtest/gtest.h>

namespace preon {
namespace {

using Gate = ScalarFunction::Gate;

// x -> Conv -> a; the rest is each test's.
Graph Base() {
  Graph graph;
  graph.AddInput("x", {.type = DataType::kFloat});
  graph.AddInput("w", {.type = DataType::kFloat});
  graph.AddNode("Conv", {"x", "w"}, {"a"}, "conv");
  return graph;
}

TEST(FindDerived, SigmoidAndItsProduct) {
  Graph graph = Base();
  graph.AddNode("Sigmoid", {"a"}, {"s"}, "sigmoid");
  graph.AddNode("Mul", {"s", "a"}, {"p"}, "mul");
  const DerivedTensors both = {{"s", {"a", {Gate::kSigmoid}}}, {"p", {"a", {Gate::kSigmoid, 0, 0, true}}}};
  EXPECT_EQ(FindDerived(graph, {"a", "p", "s"}), both);
  // What is not wanted itself may stand between.
  EXPECT_EQ(FindDerived(graph, {"a", "p"}), (DerivedTensors{{"p", {"a", {Gate::kSigmoid, 0, 0, true}}}}));
}

TEST(FindDerived, HardSigmoidAndHardSwish) {
  Graph graph = Base();
  Node* hard = graph.AddNode("HardSigmoid", {"a"}, {"h"}, "hard");
  hard->attributes["alpha"] = 0.25f;
  graph.AddNode("Mul", {"a", "h"}, {"p"}, "mul");
  graph.AddNode("HardSwish", {"x"}, {"hs"}, "swish");
  EXPECT_EQ(FindDerived(graph, {"a", "h", "p", "x", "hs"}),
            (DerivedTensors{{"h", {"a", {Gate::kHardSigmoid, 0.25f, 0.5f}}},
                            {"p", {"a", {Gate::kHardSigmoid, 0.25f, 0.5f, true}}},
                            {"hs", {"x", {Gate::kHardSigmoid, 1.0f / 6, 0.5f, true}}}}));
  hard->attributes["alpha"] = -0.25f;
  EXPECT_EQ(FindDerived(graph, {"a", "h", "p"}), DerivedTensors());
}

TEST(FindDerived, NotWithoutAnObservedSource) {
  Graph graph = Base();
  graph.AddNode("Sigmoid", {"a"}, {"s"}, "sigmoid");
  graph.AddNode("Tanh", {"s"}, {"t"}, "tanh");
  graph.AddNode("Relu", {"a"}, {"r"}, "relu");
  graph.AddNode("Mul", {"r", "s"}, {"p"}, "mul");  // another tensor's gate
  EXPECT_EQ(FindDerived(graph, {"s", "r", "p"}), DerivedTensors());
  graph.AddNode("Tanh", {"a"}, {"ta"}, "tanh_a");
  graph.AddNode("Mul", {"a", "ta"}, {"pa"}, "mul_a");  // symmetric
  EXPECT_EQ(FindDerived(graph, {"a", "pa"}), DerivedTensors());
  // From a derived one only if that is observed.
  EXPECT_EQ(FindDerived(graph, {"a", "s", "t"}), (DerivedTensors{{"s", {"a", {Gate::kSigmoid}}}}));
  EXPECT_EQ(FindDerived(graph, {"s", "t"}), (DerivedTensors{{"t", {"s", {Gate::kTanh}}}}));
}

TEST(FindDerived, NotFromOutsideOfABranch) {
  Graph graph = Base();
  graph.AddNode("Sigmoid", {"a"}, {"s"}, "sigmoid")->home = IfBranch{"if", 0};
  EXPECT_EQ(FindDerived(graph, {"a", "s"}), DerivedTensors());
}

}  // namespace
}  // namespace preon
