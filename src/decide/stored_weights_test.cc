#include "decide/stored_weights.h"

#include <gtest/gtest.h>

#include "ir/graph.h"

namespace preon {
namespace {

TEST(StoredWeights, AllFloatWeightsBeforeAndTheLargestAfter) {
  Graph before, after;
  before.SetInitializer("weight", Tensor::FromFloats({4}, std::vector<float>(4)));
  before.SetInitializer("bias", Tensor::FromFloats({2}, std::vector<float>(2)));
  before.SetInitializer("index", Tensor::FromInt64s({8}, std::vector<int64_t>(8)));
  after.SetInitializer("bias", Tensor::FromFloats({2}, std::vector<float>(2)));
  after.SetInitializer("index", Tensor::FromInt64s({8}, std::vector<int64_t>(8)));
  const StoredWeights stored = StoredWeightsOf(before, after);
  EXPECT_EQ(stored.float_model_bytes, 24);
  EXPECT_EQ(stored.largest_float, "bias");
  EXPECT_EQ(stored.largest_float_bytes, 8);
}

TEST(StoredWeights, WhatIsFloatForAccuracyIsLeftOut) {
  Graph graph;
  graph.SetInitializer("first", Tensor::FromFloats({4}, std::vector<float>(4)));
  graph.SetInitializer("second", Tensor::FromFloats({2}, std::vector<float>(2)));
  graph.AddInput("x", {DataType::kFloat, Shape{4}});
  graph.AddNode("Mul", {"x", "first"}, {"y"}, "scaled");
  const StoredWeights stored = StoredWeightsOf(graph, graph, {"scaled"});
  EXPECT_EQ(stored.float_model_bytes, 8);
  EXPECT_EQ(stored.largest_float, "second");
}

TEST(StoredWeights, NoFloatWeightIsLeft) { EXPECT_EQ(StoredWeightsOf(Graph(), Graph()).largest_float, ""); }

}  // namespace
}  // namespace preon
