#include "quantize/write/dynamic_writer.h"

#include <gtest/gtest.h>

#include "ir/test_graphs.h"
#include "quantize/targets/dynamic/dynamic_planner.h"

namespace preon {
namespace {

using test::GraphBuilder;

std::map<std::string, int> Operators(const Graph& graph) {
  std::map<std::string, int> count;
  for (const auto& node : graph.nodes()) ++count[node->op_type];
  return count;
}

/// Plans as given, writes; the caller's model has at least one node for it.
Model WrittenDynamic(const Model& model, const PlanOptions& options = {}) {
  const Result<QuantPlan> plan = PlanDynamic(model, options);
  EXPECT_TRUE(plan.ok()) << plan.status().ToString();
  Model quantized = model;
  EXPECT_TRUE(WriteDynamic(quantized, *plan).ok());
  EXPECT_TRUE(quantized.graph.CheckIntegrity().ok());
  return quantized;
}

TEST(DynamicWriter, ProductsShareCodesOfDataAndWeights) {
  GraphBuilder builder({1, 64, 64});
  const std::string w = builder.Constant("w", {64, 64});
  builder.Op("MatMul", {"x", w}, "a", {1, 64, 64});
  builder.Op("MatMul", {"x", w}, "b", {1, 64, 64});
  builder.Output("a");
  builder.Output("b");
  const Model model = WrittenDynamic(builder.model);
  EXPECT_EQ(Operators(model.graph),
            (std::map<std::string, int>{{"DynamicQuantizeLinear", 1}, {"MatMulInteger", 2}, {"Cast", 2}, {"Mul", 4}}));
  const Node* product = model.graph.FindNode("a_node_quant");
  ASSERT_NE(product, nullptr);
  EXPECT_EQ(product->inputs(),
            (std::vector<std::string>{"x_quantized", "w_quantized", "x_zero_point", "w_zero_point"}));
  EXPECT_EQ(product->origins, std::vector<std::string>{"a_node"});
  EXPECT_EQ(model.graph.Initializer("w_quantized")->type(), DataType::kInt8);
  EXPECT_EQ(model.graph.Initializer("w_scale")->shape(), Shape{64});  // per column
  EXPECT_EQ(model.graph.Initializer("w"), nullptr);
  EXPECT_EQ(model.graph.Producer("a")->op_type, "Mul");
}

TEST(DynamicWriter, OtherToolsLayoutTakesConvolutionsAndCodesOfTables) {
  GraphBuilder builder({1, 4, 8, 8});
  builder.Conv("x", "c");
  builder.Output("c");
  const PlanOptions reference{.compat = Compat::kOnnxRuntime};
  const Model conv = WrittenDynamic(builder.model, reference);
  EXPECT_EQ(
      Operators(conv.graph),
      (std::map<std::string, int>{
          {"DynamicQuantizeLinear", 1}, {"ConvInteger", 1}, {"Cast", 1}, {"Mul", 2}, {"Reshape", 1}, {"Add", 1}}));
  EXPECT_EQ(conv.graph.Initializer("c_w_scale")->shape(), Shape{});
  const Node* reshape = conv.graph.Producer(conv.graph.Producer("c")->input(1));
  ASSERT_NE(reshape, nullptr);
  const std::span<const int64_t> target = conv.graph.Initializer(reshape->input(1))->As<int64_t>();
  EXPECT_TRUE(std::ranges::equal(target, std::array<int64_t, 4>{1, -1, 1, 1}));

  GraphBuilder text({3}, "ids");
  text.Op("Gather", {text.Constant("table", {10, 32}), "ids"}, "e", {3, 32});
  text.Op("MatMul", {"e", text.Constant("w", {32, 8})}, "y", {3, 8});
  text.Output("y");
  // The product takes the codes of the table; nothing is decoded.
  EXPECT_EQ(Operators(WrittenDynamic(text.model, reference).graph),
            (std::map<std::string, int>{{"Gather", 1}, {"MatMulInteger", 1}, {"Cast", 1}, {"Mul", 2}}));
  text.Output("e");
  EXPECT_EQ(Operators(WrittenDynamic(text.model, reference).graph).at("DequantizeLinear"), 1);
}

TEST(DynamicWriter, RowsOfTablesHaveScales) {
  GraphBuilder builder({3}, "ids");
  builder.Op("Gather", {builder.Constant("table", {1024, 32}), "ids"}, "e", {3, 32});
  builder.Output("e");
  const Model model = WrittenDynamic(builder.model);
  EXPECT_EQ(Operators(model.graph), (std::map<std::string, int>{{"Gather", 2}, {"Cast", 1}, {"Mul", 1}}));
  EXPECT_EQ(model.graph.Initializer("table_scale")->shape(), (Shape{1024, 1}));
  EXPECT_EQ(model.graph.Initializer("table_zero_point"), nullptr);
}

TEST(DynamicWriter, GatesOfLstm) {
  constexpr int64_t kHidden = 128, kData = 96;
  GraphBuilder builder({5, 1, kData});
  builder.Lstm("x", "h", kData, kHidden);
  builder.Output("h");
  for (const bool per_channel : {true, false}) {
    const Model model = WrittenDynamic(builder.model, {.per_channel = per_channel});
    const Node* made = model.graph.FindNode("h_node_quant");
    ASSERT_NE(made, nullptr);
    EXPECT_EQ(made->op_type, "DynamicQuantizeLSTM");
    EXPECT_EQ(model.opsets.at("com.microsoft"), 1);
    EXPECT_EQ(made->inputs().size(), 12u);
    EXPECT_EQ(model.graph.Initializer("h_w_quantized")->shape(), (Shape{2, kData, 4 * kHidden}));  // transposed
    EXPECT_EQ(model.graph.Initializer("h_w_scale")->shape(), (per_channel ? Shape{2, 4 * kHidden} : Shape{2}));
    EXPECT_EQ(model.graph.Initializer("h_r_zero_point")->type(), DataType::kInt8);
    EXPECT_EQ(made->Int("hidden_size", 0), kHidden);
  }
}

}  // namespace
}  // namespace preon
