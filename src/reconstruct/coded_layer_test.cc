#include "reconstruct/coded_layer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reconstruct/test_qdq_models.h"

namespace preon {
namespace {

using ::testing::ElementsAre;

// MatMul of [.., 4] with codes [4, 2], one scale and zero point for two rows of a column each.
Model InBlocks() {
  Model model = test::EmptyModel({3, 4});
  model.opsets[""] = 21;
  Graph& graph = model.graph;
  graph.SetInitializer("q", Tensor::From<int8_t>(DataType::kInt8, {4, 2}, std::vector<int8_t>{1, 2, 3, 4, 5, 6, 7, 8}));
  graph.SetInitializer("s", Tensor::FromFloats({2, 2}, std::vector<float>{1, 2, 3, 4}));
  graph.SetInitializer("z", Tensor::From<int8_t>(DataType::kInt8, {2, 2}, std::vector<int8_t>{0, 1, 0, 2}));
  Node* dequantize = graph.AddNode("DequantizeLinear", {"q", "s", "z"}, {"w"});
  dequantize->attributes["axis"] = int64_t{0};
  dequantize->attributes["block_size"] = int64_t{2};
  graph.AddNode("MatMul", {"x", "w"}, {"y"}, "layer");
  graph.AddOutput("y", {.type = DataType::kFloat});
  return model;
}

TEST(CodedLayer, ScalesInBlocksBecomeGridsOfInputs) {
  Model model = InBlocks();
  const CodedLayer layer = CodedLayerOf(model.graph, *model.graph.FindNode("layer")).value();
  const CodeGrids grids = GridsOf(layer, 0, layer.form.all());
  EXPECT_EQ(grids.inputs_per_grid, 2U);
  for (size_t i = 0; i < 4; ++i) {
    for (size_t j = 0; j < 2; ++j) EXPECT_EQ(grids.at(i, j).scale, static_cast<float>(1 + i / 2 * 2 + j));
  }
  EXPECT_EQ(grids.at(3, 1).least, 1 - 2);  // the lowest code used, from the zero point
  EXPECT_EQ(grids.at(3, 1).most, 8 - 2);
  EXPECT_THAT(CodesOf(layer, 0, layer.form.all()).values(), ElementsAre(1, 1, 3, 3, 5, 4, 7, 6));
}

TEST(CodedLayer, CodesComeBackAsTheyWereWritten) {
  Model model = InBlocks();
  const CodedLayer layer = CodedLayerOf(model.graph, *model.graph.FindNode("layer")).value();
  Matrix codes = CodesOf(layer, 0, layer.form.all());
  codes.at(2, 1) = -1;
  WriteCodes(model.graph, layer, {codes});
  EXPECT_EQ(CodesOf(*CodedLayerOf(model.graph, *layer.node), 0, layer.form.all()).values(), codes.values());
  EXPECT_EQ(model.graph.Initializer("q")->As<int8_t>()[5], 1);
}

TEST(CodedLayer, CodesThatOthersShareBelongToNone) {
  Model model = InBlocks();
  model.graph.AddNode("MatMul", {"x", "w"}, {"z2"}, "other");
  EXPECT_TRUE(HasCodes(model.graph, *model.graph.FindNode("layer")));
  EXPECT_FALSE(CodedLayerOf(model.graph, *model.graph.FindNode("layer")));
}

TEST(CodedLayer, BiasesAreFloatsOrCodesWithTheirScales) {
  Model model = test::EmptyModel({1, 3, 8, 8});
  test::AddConv(model, "x", "c", 3, 2);
  Graph& graph = model.graph;
  Node* conv = graph.Producer("c");
  EXPECT_TRUE(HasBias(graph, *conv, 2));
  EXPECT_FALSE(HasBias(graph, *conv, 3));
  SetBias(graph, *conv, {1.5, -2.5});
  EXPECT_THAT(graph.Initializer("c_b")->floats(), ElementsAre(1.5F, -2.5F));
  graph.SetInitializer("codes", Tensor::From<int32_t>(DataType::kInt32, {2}, std::vector<int32_t>{0, 0}));
  graph.SetInitializer("scales", Tensor::FromFloats({2}, std::vector<float>{0.5F, 0.25F}));
  graph.AddNode("DequantizeLinear", {"codes", "scales"}, {"bias"}, "", "", conv)->attributes["axis"] = int64_t{0};
  graph.SetInput(conv, 2, "bias");
  EXPECT_TRUE(HasBias(graph, *conv, 2));
  SetBias(graph, *conv, {1.5, -1e12});
  EXPECT_THAT(graph.Initializer("codes")->As<int32_t>(), ElementsAre(3, -2147483647));
}

TEST(CodedLayer, ABiasOf8BitsCountsAsOneMoreInput) {
  Model model = test::WithCodes(test::TwoConvolutions(), 0.25F);
  test::MakeBiasCoarse(model, "c", 0.5F, {1, -2, 3, 0, 0, 127});
  Graph& graph = model.graph;
  const Node& conv = *graph.Producer("c");
  const CodedLayer layer = CodedLayerOf(graph, conv).value();
  ASSERT_TRUE(layer.bias);
  EXPECT_EQ(layer.inputs(), layer.form.inputs + 1);
  EXPECT_EQ(CodesOf(layer, 0, layer.form.all()).at(layer.form.inputs, 1), -2);
  const CodeGrid grid = GridsOf(layer, 0, layer.form.all()).at(layer.form.inputs, 5);
  EXPECT_EQ(grid.scale, 0.5F);
  EXPECT_EQ(grid.least, -127);  // whatever codes are in use
  EXPECT_TRUE(HasBias(graph, conv, 6));
  SetBias(graph, conv, {1.5, -2.6, 0, 0, 0, 1e6});
  EXPECT_THAT(graph.Initializer("c_b_codes")->As<int8_t>(), ElementsAre(3, -5, 0, 0, 0, 127));
}

}  // namespace
}  // namespace preon
