#include "quantize/write/float_weight_writer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "ir/test_graphs.h"
#include "quantize/read/stored_floats.h"

namespace preon {
namespace {

const FloatWeights kAllInt8 = {.smallest = FloatStorage::kInt8, .why = "asked for"};

QuantPlan PlanStoring(const Graph& graph, const FloatWeights& how, FloatReason reason = FloatReason::kNoKernel) {
  QuantPlan plan;
  plan.float_weights = how;
  for (const auto& node : graph.nodes()) plan.nodes.push_back({node->name, node->op_type, reason, "", 0});
  return plan;
}

std::string StorageIn(const std::vector<StoredFloatWeight>& stored, const std::string& weight) {
  const auto found = std::ranges::find(stored, weight, &StoredFloatWeight::weight);
  return found == stored.end() ? "" : std::string(FloatStorageName(found->storage));
}

std::string WhyOf(const std::vector<StoredFloatWeight>& stored, const std::string& weight) {
  const auto found = std::ranges::find(stored, weight, &StoredFloatWeight::weight);
  return found == stored.end() ? "not stored" : found->why;
}

double ShareOfError(const Tensor& wanted, const Tensor& got) {
  double error = 0, signal = 0;
  for (size_t i = 0; i < wanted.floats().size(); ++i) {
    error += std::pow(wanted.floats()[i] - got.floats()[i], 2);
    signal += std::pow(wanted.floats()[i], 2);
  }
  return error / signal;
}

// Channels, along the axis that the node's outputs lie on, differ by factors of ten: one scale would lose the small
// ones.
struct ReaderOfWeight {
  const char* op;
  size_t input;
  Shape shape;
  std::vector<size_t> scaled;
  int64_t trans_b = 0;
};

int64_t ChannelOf(const ReaderOfWeight& of, int64_t element) {
  int64_t rest = element, channel = 0;
  std::vector<int64_t> at(of.shape.size());
  for (size_t axis = of.shape.size(); axis-- > 0; rest /= of.shape[axis]) at[axis] = rest % of.shape[axis];
  for (const size_t axis : of.scaled) channel = channel * of.shape[axis] + at[axis];
  return channel;
}

Tensor ValuesOf(const ReaderOfWeight& of) {
  Tensor values = Tensor::Allocate(DataType::kFloat, of.shape);
  for (int64_t i = 0; i < values.count(); ++i) {
    const int64_t channel = ChannelOf(of, i);
    values.Mutable<float>()[static_cast<size_t>(i)] =
        static_cast<float>(std::sin(0.37 * static_cast<double>(i)) * std::pow(10.0, -(channel % 4)));
  }
  return values;
}

TEST(StoreFloatWeights, EachOperatorHasAScaleForEachOutput) {
  const ReaderOfWeight cases[] = {
      {"Conv", 1, {16, 12, 3, 3}, {0}}, {"Conv", 1, {32, 1, 7, 7}, {0}}, {"ConvTranspose", 1, {12, 16, 3, 3}, {1}},
      {"Gemm", 1, {40, 32}, {1}},       {"Gemm", 1, {40, 32}, {0}, 1},   {"MatMul", 1, {40, 32}, {1}},
      {"MatMul", 1, {2, 40, 32}, {2}},  {"MatMul", 0, {40, 32}, {0}},    {"Gather", 0, {40, 32}, {0}},
      {"LSTM", 2, {2, 32, 24}, {0, 1}}, {"GRU", 1, {1, 24, 64}, {0, 1}}};
  for (const ReaderOfWeight& of : cases) {
    test::GraphBuilder builder({1, 4, 8, 8});
    Graph& graph = builder.model.graph;
    const Tensor weight = ValuesOf(of);
    graph.SetInitializer("w", weight);
    std::vector<std::string> inputs(of.input + 1, "x");
    inputs[of.input] = "w";
    Node* node = builder.Op(of.op, inputs, "y");
    if (of.trans_b != 0) node->attributes["transB"] = of.trans_b;
    const auto stored = StoreFloatWeights(graph, PlanStoring(graph, kAllInt8));
    ASSERT_TRUE(stored.ok());
    ASSERT_EQ(StorageIn(*stored, "w"), "int8") << of.op;
    EXPECT_TRUE(graph.CheckIntegrity().ok()) << of.op;
    EXPECT_EQ(graph.Initializer("w"), nullptr);
    EXPECT_EQ(graph.Initializer("w_quantized")->type(), DataType::kInt8);
    RestoreFloatWeights(graph);
    EXPECT_TRUE(graph.CheckIntegrity().ok()) << of.op;
    ASSERT_EQ(node->input(of.input), "w") << of.op;
    const Tensor& read = *graph.Initializer("w");
    std::map<int64_t, float> largest;  // of each channel
    for (int64_t i = 0; i < weight.count(); ++i) {
      float& found = largest[ChannelOf(of, i)];
      found = std::max(found, std::abs(weight.floats()[static_cast<size_t>(i)]));
    }
    for (int64_t i = 0; i < weight.count(); ++i) {
      const auto at = static_cast<size_t>(i);
      EXPECT_LE(std::abs(read.floats()[at] - weight.floats()[at]), largest[ChannelOf(of, i)] / 254 * 1.01f) << of.op;
    }
    EXPECT_LT(ShareOfError(weight, read), 1e-4) << of.op;  // 40 dB
    EXPECT_GT(ShareOfError(weight, read), 1e-7) << of.op;
    // Also of the smallest channels.
    for (size_t i = 0; i < weight.floats().size(); ++i)
      EXPECT_NEAR(read.floats()[i], weight.floats()[i], 0.005 * std::abs(weight.floats()[i]) + 0.0045) << of.op;
  }
}

TEST(StoreFloatWeights, OnlyNodesThatAreNamedHaveInt8) {
  test::GraphBuilder builder({1, 32, 8, 8});
  Graph& graph = builder.model.graph;
  float value = 1;
  for (const char* name : {"a", "b", "c", "later"})
    builder.Op("Conv", {"x", builder.Constant(StrCat(name, "_w"), {32, 32, 1, 1}, value *= 2)}, name);
  QuantPlan plan = PlanStoring(graph, {});
  plan.float_weights = {.smallest = FloatStorage::kInt8,
                        .int8_nodes = std::set<std::string>{"b_node", "c_node"},
                        .costly = {"a_node"},
                        .why = "measured",
                        .why_costly = "costs too much"};
  plan.nodes[1].reason = FloatReason::kExcluded;
  const auto stored = StoreFloatWeights(graph, plan);
  ASSERT_TRUE(stored.ok());
  EXPECT_EQ(StorageIn(*stored, "a_w"), "float16");
  EXPECT_EQ(StorageIn(*stored, "b_w"), "float16");
  EXPECT_EQ(StorageIn(*stored, "c_w"), "int8");
  EXPECT_EQ(StorageIn(*stored, "later_w"), "float16");  // in float since a later plan
  EXPECT_EQ(WhyOf(*stored, "a_w"), "costs too much");
  EXPECT_EQ(WhyOf(*stored, "b_w"), "excluded nodes have int8 only when asked for");
  EXPECT_EQ(WhyOf(*stored, "c_w"), "measured");
  EXPECT_EQ(WhyOf(*stored, "later_w"), SafeFloatWeights().why);
}

TEST(StoreFloatWeights, ExcludedNodesHaveInt8OnlyWhereTheUserAsksForIt) {
  for (const bool is_asked_for : {false, true}) {
    test::GraphBuilder builder({1, 32, 8, 8});
    Graph& graph = builder.model.graph;
    builder.Conv("x", "a", 32);
    QuantPlan plan = PlanStoring(graph, kAllInt8, FloatReason::kExcluded);
    plan.float_weights.excluded_too = is_asked_for;
    const auto stored = StoreFloatWeights(graph, plan);
    ASSERT_TRUE(stored.ok());
    EXPECT_EQ(StorageIn(*stored, "a_w"), is_asked_for ? "int8" : "float16");
  }
}

TEST(StoreFloatWeights, WhatHalfCannotHoldStaysAsItIs) {
  for (const float factor : {1e6f, 1e-8f, std::numeric_limits<float>::infinity()}) {
    test::GraphBuilder builder({1, 32, 8, 8});
    Graph& graph = builder.model.graph;
    builder.Op("Conv", {"x", builder.Constant("w", {32, 32, 1, 1}, factor)}, "y");
    const auto stored = StoreFloatWeights(graph, PlanStoring(graph, {.smallest = FloatStorage::kFloat16}));
    ASSERT_TRUE(stored.ok());
    EXPECT_EQ(StorageIn(*stored, "w"), "float32") << factor;
    EXPECT_NE(graph.Initializer("w"), nullptr);
    EXPECT_EQ(graph.nodes().size(), 1u);
  }
}

TEST(StoreFloatWeights, ChannelsTooSmallForHalfKeepTheirValues) {
  test::GraphBuilder builder({1, 32, 8, 8});
  Graph& graph = builder.model.graph;
  std::vector<float> values(32 * 32, 1);
  std::ranges::fill_n(values.begin() + 5 * 32, 32, 1e-8f);  // 0 as float16; all others are as they were
  std::ranges::fill_n(values.begin() + 6 * 32, 32, 0.0f);
  graph.SetInitializer("rows", Tensor::FromFloats({32, 32, 1, 1}, values));
  graph.SetInitializer("columns", Tensor::FromFloats({32, 32}, values));
  builder.Op("Conv", {"x", "rows"}, "y");
  builder.Op("MatMul", {"y", "columns"}, "z");  // its channels lie the other way
  for (const FloatStorage storage : {FloatStorage::kFloat16, FloatStorage::kInt8}) {
    Graph copy = graph;
    const auto stored = StoreFloatWeights(copy, PlanStoring(copy, {.smallest = storage, .why = "asked for"}));
    ASSERT_TRUE(stored.ok());
    const bool is_half = storage == FloatStorage::kFloat16;
    EXPECT_EQ(StorageIn(*stored, "rows"), is_half ? "float32" : "int8");
    EXPECT_EQ(WhyOf(*stored, "rows"), is_half ? "float16 does not hold its values" : "asked for");
    EXPECT_EQ(StorageIn(*stored, "columns"), is_half ? "float16" : "int8");
    RestoreFloatWeights(copy);
    for (size_t i = 0; i < values.size(); ++i)
      ASSERT_NEAR(copy.Initializer("rows")->floats()[i], values[i], 0.005 * values[i]) << i;
  }
}

TEST(StoreFloatWeights, LargeModelsKeepTheirsWithAReason) {
  test::GraphBuilder builder({1, 4, 8, 4096});
  Graph& graph = builder.model.graph;
  const Tensor weight = Tensor::Allocate(DataType::kFloat, {4096, 4096});  // 64 MiB, once in memory
  for (int i = 0; i < 17; ++i) {
    graph.SetInitializer(StrCat("w", i), weight);
    builder.Op("MatMul", {"x", StrCat("w", i)}, StrCat("y", i));
  }
  const auto stored = StoreFloatWeights(graph, PlanStoring(graph, kAllInt8));
  ASSERT_TRUE(stored.ok());
  EXPECT_EQ(stored->size(), 17u);
  EXPECT_EQ(StorageIn(*stored, "w16"), "float32");
  EXPECT_EQ(WhyOf(*stored, "w16"), "the runtime maps more than 1 GiB of weights from the file, as they are");
  EXPECT_NE(graph.Initializer("w16"), nullptr);
}

TEST(StoreFloatWeights, WhatHasToKeepItsNameSaysWhy) {
  test::GraphBuilder builder({1, 4, 32, 32});
  Graph& graph = builder.model.graph;
  for (const char* name : {"shown", "given"})
    builder.Op("MatMul", {"x", builder.Constant(name, {64, 64})}, StrCat(name, "_y"));
  graph.AddOutput("shown", test::FloatInfo({64, 64}));
  graph.overridable_initializers.insert("given");
  builder.Op("MatMul", {"x", builder.Constant("captured", {64, 64})}, "captured_y");
  graph.SetAttribute(builder.Op("If", {"shown_y"}, "branch"), "then_branch", OpaqueAttribute{"…", {"captured"}, true});
  const auto stored = StoreFloatWeights(graph, PlanStoring(graph, kAllInt8));
  ASSERT_TRUE(stored.ok());
  EXPECT_EQ(WhyOf(*stored, "shown"), "it is also an output of the model");
  EXPECT_EQ(WhyOf(*stored, "given"), "it is also an input of the model");
  EXPECT_EQ(WhyOf(*stored, "captured"), "a sub-graph reads it");
  EXPECT_EQ(StorageIn(*stored, "given"), "float32");
  EXPECT_EQ(graph.nodes().size(), 4u);
}

TEST(StoreFloatWeights, LeavesWhatWouldNotBecomeSmaller) {
  test::GraphBuilder builder({1, 4, 8, 8});
  Graph& graph = builder.model.graph;
  builder.Conv("x", "y");
  const auto stored = StoreFloatWeights(graph, PlanStoring(graph, kAllInt8));
  ASSERT_TRUE(stored.ok());
  EXPECT_EQ(StorageIn(*stored, "y_w"), "float32");
  EXPECT_EQ(graph.nodes().size(), 1u);
}

TEST(StoreFloatWeights, LeavesConstantsThatAreNoWeights) {
  test::GraphBuilder builder({1, 4, 32, 32});
  Graph& graph = builder.model.graph;
  builder.Op("Add", {"x", builder.Constant("position", {1, 4, 32, 32})}, "y");
  builder.Op("MatMul", {"y", builder.Constant("w", {32, 32})}, "z");
  builder.Op("Add", {"z", "w"}, "both");  // read by another operator, too
  const auto stored = StoreFloatWeights(graph, PlanStoring(graph, kAllInt8));
  ASSERT_TRUE(stored.ok());
  ASSERT_EQ(stored->size(), 1u);  // none of `position`
  EXPECT_EQ(stored->front().node, "z_node");
  EXPECT_EQ(StorageIn(*stored, "w"), "float32");
  EXPECT_EQ(WhyOf(*stored, "w"), "node 'both_node' reads it, too, and not as a float weight");
  EXPECT_EQ(graph.nodes().size(), 3u);
}

TEST(StoreFloatWeights, LeavesWeightsOfIntegerNodes) {
  test::GraphBuilder builder({1, 32, 8, 8});
  Graph& graph = builder.model.graph;
  builder.Conv("x", "y", 32);
  const auto stored = StoreFloatWeights(graph, PlanStoring(graph, kAllInt8, FloatReason::kNone));
  ASSERT_TRUE(stored.ok());
  EXPECT_TRUE(stored->empty());
  EXPECT_NE(graph.Initializer("y_w"), nullptr);
}

TEST(StoreFloatWeights, EqualWeightsAreStoredOnce) {
  test::GraphBuilder builder({1, 32, 8, 8});
  Graph& graph = builder.model.graph;
  const Node* first = builder.Op("Conv", {"x", builder.Constant("w", {32, 32, 1, 1})}, "a");
  const Node* second = builder.Op("Conv", {"a", builder.Constant("w_copy", {32, 32, 1, 1})}, "b");
  const auto stored = StoreFloatWeights(graph, PlanStoring(graph, kAllInt8));
  ASSERT_TRUE(stored.ok());
  EXPECT_EQ(stored->size(), 2u);
  EXPECT_EQ(first->input(1), second->input(1));
  EXPECT_EQ(graph.initializers().size(), 2u);  // codes, scales
}

TEST(StoreFloatWeights, NothingChangesWithoutARequest) {
  test::GraphBuilder builder({1, 32, 8, 8});
  Graph& graph = builder.model.graph;
  builder.Conv("x", "y", 32);
  const auto stored = StoreFloatWeights(graph, PlanStoring(graph, {}));
  ASSERT_TRUE(stored.ok());
  EXPECT_TRUE(stored->empty());
  EXPECT_NE(graph.Initializer("y_w"), nullptr);
}

}  // namespace
}  // namespace preon
