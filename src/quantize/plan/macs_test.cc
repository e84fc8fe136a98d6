#include "quantize/plan/macs.h"

#include <gtest/gtest.h>

namespace preon {
namespace {

double MacsOfEinsum(const std::string& equation, const Shape& a, const Shape& b) {
  Graph graph;
  graph.AddInput("a", {.type = DataType::kFloat, .shape = a});
  graph.AddInput("b", {.type = DataType::kFloat, .shape = b});
  Node* node = graph.AddNode("Einsum", {"a", "b"}, {"y"});
  graph.SetAttribute(node, "equation", equation);
  return EinsumMacs(graph, *node);
}

TEST(EinsumMacs, OneForEachCombinationOfAllIndices) {
  EXPECT_EQ(MacsOfEinsum("ij,jk->ik", {2, 3}, {3, 5}), 30);
  EXPECT_EQ(MacsOfEinsum("b i d, b j d -> b i j", {kDynamicDim, 4, 8}, {kDynamicDim, 6, 8}), 192);  // of one sample
  EXPECT_EQ(MacsOfEinsum("ij,ij", {2, 3}, {2, 3}), 6);
}

TEST(NodeMacs, OperatorsOfTheRuntimeCountAsTheirTwins) {
  Graph graph;
  graph.AddInput("x", {.type = DataType::kFloat, .shape = Shape{kDynamicDim, 4}});
  graph.AddInput("w", {.type = DataType::kInt8, .shape = Shape{4, 3}});
  graph.SetInfo("y", {.type = DataType::kFloat, .shape = Shape{kDynamicDim, 3}});
  EXPECT_EQ(NodeMacs(graph, *graph.AddNode("QGemm", {"x", "s", "z", "w"}, {"y"}, "a", "com.microsoft")), 12);
  Node* blocks = graph.AddNode("MatMulNBits", {"x", "w", "s"}, {"n"}, "b", "com.microsoft");
  graph.SetAttribute(blocks, "N", int64_t{5});
  EXPECT_EQ(NodeMacs(graph, *blocks), 20);
  EXPECT_EQ(NodeMacs(graph, *graph.AddNode("QGemm", {"x", "s", "z", "w"}, {"o"}, "c", "of.another")), 0);
}

double MacsOfGemm(const std::string& producer, const std::map<std::string, Shape, std::less<>>& typical) {
  Graph graph;
  graph.typical_shapes = typical;
  graph.AddInput("x", {.type = DataType::kFloat, .shape = Shape{kDynamicDim, kDynamicDim, 4}});
  graph.SetInitializer("w", Tensor::Allocate(DataType::kFloat, {4, 3}));
  graph.AddNode(producer, {"x", "shape"}, {"rows"});
  graph.SetInfo("rows", {.type = DataType::kFloat, .shape = Shape{kDynamicDim, 4}});
  return NodeMacs(graph, *graph.AddNode("Gemm", {"rows", "w"}, {"y"}));
}

TEST(NodeMacs, RowsOfAGemmAreTheTypicalOnes) {
  EXPECT_EQ(MacsOfGemm("Reshape", {{"rows", {50, 4}}}), 50 * 4 * 3);
  EXPECT_EQ(MacsOfGemm("Reshape", {}), 64 * 4 * 3) << "samples and tokens together";
  EXPECT_EQ(MacsOfGemm("ReduceMean", {}), 4 * 3) << "one sample";
}

TEST(EinsumMacs, WhatCantBeCountedIsNone) {
  EXPECT_EQ(MacsOfEinsum("...ij,...jk->...ik", {2, 3}, {3, 5}), 0);
  EXPECT_EQ(MacsOfEinsum("ijk,kl->ijl", {2, 3}, {3, 5}), 0);  // ONNX Runtime refuses it, too
  Graph graph;
  EXPECT_EQ(EinsumMacs(graph, *graph.AddNode("MatMul", {"a", "b"}, {"y"})), 0);
}

}  // namespace
}  // namespace preon
