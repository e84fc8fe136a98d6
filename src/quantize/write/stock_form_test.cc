#include "quantize/write/stock_form.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/test_graphs.h"

namespace preon {
namespace {

using Family = BlockSpec::Family;
using ::testing::ElementsAre;

BlockSpec Mx9() { return {.family = Family::kMicro, .block_size = 16}; }
BlockSpec Mx(std::optional<MiniFloat> element) { return {.family = Family::kMx, .block_size = 32, .element = element}; }

/// `y`, which a Neg reads and which is an output, is still to be written.
Graph GraphWith(std::optional<Shape> shape) {
  Graph graph;
  ValueInfo info;
  info.type = DataType::kFloat;
  info.shape = std::move(shape);
  graph.AddInput("x", info);
  graph.AddNode("Neg", {"y"}, {"z"}, "reader");
  graph.AddOutput("y", info);
  graph.AddOutput("z", info);
  return graph;
}

std::vector<std::string> Blocks(const std::optional<Shape>& shape, const BlockSpec& spec, int64_t axis = 1) {
  Graph graph = GraphWith(shape);
  const Status status = WriteBlocksInStockForm(graph, {"x", "y", "base"}, spec, axis);
  EXPECT_TRUE(status.ok()) << status.ToString();
  EXPECT_TRUE(graph.SortTopologically().ok());
  const Status integrity = graph.CheckIntegrity();
  EXPECT_TRUE(integrity.ok()) << integrity.ToString();
  std::vector<std::string> types;
  for (const auto& node : graph.nodes()) {
    if (node->name == "reader") continue;
    EXPECT_TRUE(node->name.starts_with("base_")) << node->name;
    EXPECT_EQ(node->domain, "");
    types.push_back(node->op_type);
  }
  for (const auto& [name, tensor] : graph.initializers()) EXPECT_TRUE(name.starts_with("base_")) << name;
  return types;
}

TEST(WriteBlocksInStockForm, Bfp16OfChannels) {
  EXPECT_THAT(Blocks(Shape{1, 64, 56, 56}, {}),
              ElementsAre("Reshape", "Abs", "ReduceMax", "Cast", "Max", "Mul", "Mul", "Sub", "Sub", "Cast", "Cast",
                          "Where", "Div", "Round", "Clip", "Mul", "Reshape"));
}

TEST(WriteBlocksInStockForm, WhatShapesCost) {
  const auto nodes = [](const std::optional<Shape>& shape, const BlockSpec& spec, int64_t axis = 1) {
    return Blocks(shape, spec, axis).size();
  };
  constexpr int64_t kUnknown = kDynamicDim;
  EXPECT_EQ(nodes(Shape{1, 64, 56, 56}, {}), 17u);
  EXPECT_EQ(nodes(Shape{kUnknown, 64, kUnknown, 56}, {}), 17u);
  EXPECT_EQ(nodes(Shape{kUnknown, 64, kUnknown, kUnknown}, {}), 18u) << "the shape behind";
  EXPECT_EQ(nodes(Shape{1, 8, 56, 56}, {}), 15u) << "one block needs no reshape";
  EXPECT_EQ(nodes(Shape{1, 3, 224, 224}, {}), 15u) << "nor does a short one";
  EXPECT_EQ(nodes(Shape{1, 65, 56, 56}, {}), 19u) << "Pad and Slice";
  EXPECT_EQ(nodes(Shape{kUnknown, kUnknown, 768}, {}), 22u) << "their numbers";
  EXPECT_EQ(nodes(Shape{kUnknown, kUnknown, 768}, {}, -1), 19u) << "contiguous blocks";
  EXPECT_EQ(nodes(std::nullopt, {}, -1), 25u);
  EXPECT_EQ(nodes(std::nullopt, {}, 1), 25u);
  EXPECT_EQ(nodes(Shape{1, 64, 56, 56}, Mx({})), 18u);
  EXPECT_EQ(nodes(Shape{1, 64, 56, 56}, Mx(kE2M1)), 21u);
  EXPECT_EQ(nodes(Shape{1, 64, 56, 56}, Mx9()), 19u);
  EXPECT_EQ(nodes(Shape{1, 128, 64}, Mx9(), -1), 21u);
  EXPECT_EQ(nodes(Shape{1, 64, 56, 56}, {.bfloat_first = true}), 19u);
}

TEST(WriteBlocksInStockForm, NothingToRound) {
  EXPECT_THAT(Blocks(Shape{2, 0, 4}, {}), ElementsAre("Identity"));
  EXPECT_THAT(Blocks(Shape{1, 1}, {.numerics = Numerics::kCompat}), ElementsAre("Identity"));
}

TEST(WriteBlocksInStockForm, ErrorsLeaveTheGraphAlone) {
  Graph graph = GraphWith(Shape{2, 16});
  const RoundTripNames names = {"x", "y", "base"};
  EXPECT_EQ(WriteBlocksInStockForm(graph, names, {}, 2).id(), ErrorId::kFormatAxis);
  EXPECT_EQ(WriteBlocksInStockForm(graph, names, {}, -3).id(), ErrorId::kFormatAxis);
  EXPECT_EQ(WriteBlocksInStockForm(graph, names, {.raise_exponent = true}, 1).id(), ErrorId::kNotYetSupported);
  EXPECT_EQ(graph.nodes().size(), 1u);
  EXPECT_TRUE(graph.initializers().empty());
}

std::vector<std::string> Codes(const std::optional<Shape>& shape, DataType type, const std::vector<QuantParams>& params,
                               int axis = -1) {
  Graph graph = GraphWith(shape);
  const Status status = WriteCodesInStockForm(graph, {"x", "y", "base"}, type, params, axis);
  EXPECT_TRUE(status.ok()) << status.ToString();
  std::vector<std::string> types;
  for (const auto& node : graph.nodes()) {
    if (node->name != "reader") types.push_back(node->op_type);
  }
  return types;
}

TEST(WriteCodesInStockForm, Nodes) {
  const Shape shape = {1, 3, 8, 8};
  EXPECT_THAT(Codes(shape, DataType::kFloat16, {{1, 0}}), ElementsAre("Clip", "Cast", "Cast"));
  EXPECT_THAT(Codes(std::nullopt, DataType::kBFloat16, {{1, 0}}), ElementsAre("Cast", "Cast"));
  EXPECT_THAT(Codes(shape, DataType::kBFloat16, {{3, 0}}), ElementsAre("Div", "Cast", "Cast", "Mul"));
  EXPECT_THAT(Codes(shape, DataType::kInt32, {{3, 1}}), ElementsAre("Div", "Round", "Clip", "Mul"));
  EXPECT_THAT(Codes(shape, DataType::kUInt32, {{3, 1}, {2, 1}, {1, 1}}, 1), ElementsAre("Div", "Round", "Clip", "Mul"));
  EXPECT_THAT(Codes(shape, DataType::kUInt32, {{3, 1}, {2, 2}, {1, 1}}, 1),
              ElementsAre("Div", "Round", "Max", "Min", "Mul"));
}

TEST(WriteCodesInStockForm, ScalesLieAlongTheAxis) {
  Graph graph = GraphWith(Shape{1, 3, 8, 8});
  const std::vector<QuantParams> params = {{1, 0}, {2, 0}, {3, 0}};
  ASSERT_TRUE(WriteCodesInStockForm(graph, {"x", "y", "base"}, DataType::kInt32, params, 1).ok());
  EXPECT_EQ(graph.Initializer("base_scale")->shape(), (Shape{3, 1, 1}));
}

TEST(WriteCodesInStockForm, ErrorsLeaveTheGraphAlone) {
  Graph graph = GraphWith(Shape{2, 16});
  const auto error = [&](DataType type, const std::vector<QuantParams>& params, int axis) {
    return WriteCodesInStockForm(graph, {"x", "y", "base"}, type, params, axis).id();
  };
  EXPECT_EQ(error(DataType::kInt8, {{1, 0}}, -1), ErrorId::kFormatAttribute);
  EXPECT_EQ(error(DataType::kFloat16, {{1, 3}}, -1), ErrorId::kFormatAttribute);
  EXPECT_EQ(error(DataType::kInt32, {{1, 0}}, 2), ErrorId::kFormatAxis);
  EXPECT_EQ(error(DataType::kInt32, {{1, 0}, {1, 0}}, -1), ErrorId::kFormatAxis);
  EXPECT_EQ(error(DataType::kInt32, {{1, 0}, {1, 0}, {1, 0}}, 0), ErrorId::kFormatAxis);
  EXPECT_EQ(graph.nodes().size(), 1u);
  EXPECT_TRUE(graph.initializers().empty());
}

}  // namespace
}  // namespace preon
