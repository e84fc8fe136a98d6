#include "pipeline/placement.h"

#include <gtest/gtest.h>

namespace preon {
namespace {

TEST(Placement, JoinsDecisionsWithKernels) {
  Graph graph;
  graph.AddInput("x", {.type = DataType::kFloat});
  const auto add = [&](const char* op, const char* name, DataType type) {
    graph.AddNode(op, {"x"}, {std::string(name) + "_out"}, name);
    graph.SetInfo(std::string(name) + "_out", {.type = type});
  };
  add("Conv", "planned", DataType::kFloat);
  add("Conv", "missed", DataType::kFloat);
  add("MatMul", "excluded", DataType::kFloat);
  add("Relu", "folded", DataType::kFloat);
  add("Reshape", "moved", DataType::kFloat);
  add("Shape", "shape", DataType::kInt64);
  QuantPlan plan;
  plan.nodes = {{"planned", "Conv", FloatReason::kNone, "", 60},
                {"missed", "Conv", FloatReason::kNone, "", 30},
                {"excluded", "MatMul", FloatReason::kExcluded, "by name", 10},
                {"folded", "Relu"},
                {"moved", "Reshape"},
                {"shape", "Shape", FloatReason::kType}};
  const Placement placement = JoinPlacement(plan, graph,
                                            {{"planned", {KernelClass::kInteger, "QLinearConv"}},
                                             {"missed", {KernelClass::kFloat, "FusedConv"}},
                                             {"excluded", {KernelClass::kFloat, "MatMul"}},
                                             {"moved", {KernelClass::kMover, "Reshape"}},
                                             {"shape", {KernelClass::kFloat, "Shape"}}});
  ASSERT_EQ(placement.integer.size(), 2u);
  EXPECT_EQ(placement.integer[0].node, "planned");
  EXPECT_EQ(placement.integer[1].node, "moved");
  ASSERT_EQ(placement.float_nodes.size(), 2u);
  EXPECT_EQ(placement.float_nodes[0].reason, "not fused");
  EXPECT_EQ(placement.float_nodes[0].detail, "the runtime runs FusedConv in float");
  EXPECT_EQ(placement.float_nodes[1].reason, FloatReasonName(FloatReason::kExcluded));
  EXPECT_DOUBLE_EQ(placement.integer_macs_share, 0.6);
  EXPECT_EQ(placement.integer_anchors, 1);
  EXPECT_EQ(placement.float_anchors, 2);
}

TEST(Placement, WhatSomethingElseRunsIsAsPlanned) {
  Graph graph;
  graph.AddInput("x", {.type = DataType::kFloat});
  for (const char* name : {"conv", "relu", "softmax"}) {
    graph.AddNode(name == std::string("conv") ? "Conv" : "Relu", {"x"}, {std::string(name) + "_out"}, name);
    graph.SetInfo(std::string(name) + "_out", {.type = DataType::kFloat});
  }
  QuantPlan plan;
  plan.runs_on = "TensorRT";
  plan.nodes = {{"conv", "Conv", FloatReason::kNone, "", 60},
                {"relu", "Relu"},
                {"softmax", "Softmax", FloatReason::kNoKernel, "computed in float"}};
  const Placement placement = JoinPlacement(plan, graph, {{"conv", {KernelClass::kFloat, "FusedConv"}}});
  EXPECT_EQ(placement.runs_on, "TensorRT");
  ASSERT_EQ(placement.integer.size(), 2u);
  EXPECT_EQ(placement.integer[0].kernel, "TensorRT");
  EXPECT_DOUBLE_EQ(placement.integer_macs_share, 1);
  ASSERT_EQ(placement.float_nodes.size(), 1u);
  EXPECT_EQ(placement.float_nodes[0].reason, FloatReasonName(FloatReason::kNoKernel));
  EXPECT_EQ(placement.float_nodes[0].detail, "computed in float");
}

TEST(Placement, RecurrentNodesHaveTheirShareOfTheWork) {
  Graph graph;
  graph.AddInput("x", {.type = DataType::kFloat, .shape = Shape{10, 1, 8}});
  graph.AddInput("y", {.type = DataType::kFloat});
  graph.SetInitializer("w", Tensor::Allocate(DataType::kFloat, {1, 32, 8}));
  graph.SetInitializer("r", Tensor::Allocate(DataType::kFloat, {1, 32, 8}));
  graph.AddNode("LSTM", {"x", "w", "r"}, {"h"}, "lstm");
  graph.AddNode("MatMul", {"y", "y"}, {"m"}, "matmul");
  for (const char* tensor : {"h", "m"}) graph.SetInfo(tensor, {.type = DataType::kFloat});
  QuantPlan plan;
  plan.nodes = {{"lstm", "LSTM", FloatReason::kNoKernel}, {"matmul", "MatMul", FloatReason::kNone, "", 5120}};
  const Placement placement = JoinPlacement(plan, graph, {{"matmul", {KernelClass::kInteger, "MatMulInteger"}}});
  EXPECT_EQ(placement.recurrent, 1);
  EXPECT_EQ(placement.float_anchors, 1);
  EXPECT_DOUBLE_EQ(placement.integer_macs_share, 0.5);  // LSTM: 10 steps of 512
}

}  // namespace
}  // namespace preon
