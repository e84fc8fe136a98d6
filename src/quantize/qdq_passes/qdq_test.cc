#include <gtest/gtest.h>

#include "ir/test_graphs.h"
#include "quantize/qdq_passes/qdq_passes.h"

namespace preon {
namespace {

using test::FloatInfo;

// x, in codes, through integer operators; every scale 0.5 and zero point 3.
class IntegerGraph {
 public:
  IntegerGraph() {
    model.opsets[""] = 13;
    model.graph.AddInput("x", FloatInfo({1, 4, 8, 8}));
    Constant("s", Tensor::ScalarFloat(0.5f));
    const std::vector<uint8_t> three(1, 3);
    Constant("z", Tensor::From<uint8_t>(DataType::kUInt8, {}, three));
    Node("QuantizeLinear", {"x", "s", "z"}, "x_quantized");
  }

  preon::Node* Node(const std::string& type, std::vector<std::string> inputs, const std::string& output,
                    const std::string& domain = "") {
    return model.graph.AddNode(type, std::move(inputs), {output}, output + "_node", domain);
  }
  void Constant(const std::string& name, Tensor value) { model.graph.SetInitializer(name, std::move(value)); }

  Effect Run() {
    const auto records = RunNamedQdqPasses(model, {"qdq"}, warnings);
    EXPECT_TRUE(records.ok() && (*records)[0].cause.ok());
    return (*records)[0].effect;
  }

  Model model;
  std::vector<std::string> warnings;
};

TEST(Qdq, ConvolutionGetsPairsAndABiasOfTheProductsScale) {
  IntegerGraph graph;
  graph.Constant("w_quantized", Tensor::Allocate(DataType::kInt8, {2, 4, 1, 1}));
  graph.Constant("w_scale", Tensor::FromFloats({2}, std::vector<float>{0.25f, 2}));
  graph.Constant("w_zero_point", Tensor::Allocate(DataType::kInt8, {2}));
  graph.Constant("b_quantized", Tensor::Allocate(DataType::kInt32, {2}));
  const std::vector<std::string> inputs = {"x_quantized",  "s", "z", "w_quantized", "w_scale",
                                           "w_zero_point", "s", "z", "b_quantized"};
  graph.Node("QLinearConv", inputs, "y_quantized");
  graph.Node("MaxPool", {"y_quantized"}, "p_quantized")->attributes["kernel_shape"] = std::vector<int64_t>{2, 2};
  graph.Node("DequantizeLinear", {"p_quantized", "s", "z"}, "p");
  graph.model.graph.AddOutput("p", FloatInfo({1, 2, 7, 7}));
  EXPECT_EQ(graph.Run(), Effect::kChanged);
  EXPECT_TRUE(graph.warnings.empty());
  const Graph& result = graph.model.graph;
  const auto* conv = result.FindNode("y_quantized_node");
  ASSERT_EQ(conv->op_type, "Conv");
  const auto* weight = result.Producer(conv->input(1));
  EXPECT_EQ(weight->inputs(), (std::vector<std::string>{"w_quantized", "w_scale", "w_zero_point"}));
  EXPECT_EQ(weight->Int("axis", -9), 0);
  const std::span<const float> bias = result.Initializer(result.Producer(conv->input(2))->input(1))->floats();
  EXPECT_EQ(std::vector(bias.begin(), bias.end()), (std::vector<float>{0.125f, 1}));
  EXPECT_EQ(conv->output(), "y");
  const auto* pool = result.FindNode("p_quantized_node");
  EXPECT_EQ(result.Producer(pool->input(0))->input(0), "y_quantized");
  EXPECT_EQ(result.Producer("p_quantized")->op_type, "QuantizeLinear");
}

TEST(Qdq, ConcatAndWhereReadTheirPlaces) {
  IntegerGraph graph;
  graph.model.graph.AddInput("c", {DataType::kBool, Shape{1}});
  graph
      .Node("QLinearConcat", {"s", "z", "x_quantized", "s", "z", "x_quantized", "s", "z"}, "y_quantized",
            "com.microsoft")
      ->attributes["axis"] = int64_t{1};
  graph.Node("QLinearWhere", {"c", "y_quantized", "s", "z", "y_quantized", "s", "z", "s", "z"}, "w_quantized",
             "com.microsoft");
  graph.Node("DequantizeLinear", {"w_quantized", "s", "z"}, "w");
  graph.model.graph.AddOutput("w", FloatInfo({1, 8, 8, 8}));
  EXPECT_EQ(graph.Run(), Effect::kChanged);
  const auto* concat = graph.model.graph.FindNode("y_quantized_node");
  EXPECT_EQ(concat->op_type, "Concat");
  EXPECT_EQ(concat->domain, "");
  EXPECT_EQ(concat->inputs().size(), 2u);
  const auto* where = graph.model.graph.FindNode("w_quantized_node");
  EXPECT_EQ(where->op_type, "Where");
  EXPECT_EQ(where->input(0), "c");
  EXPECT_EQ(where->inputs().size(), 3u);
}

TEST(Qdq, ScalesThatNoConstantHasAreLeftAlone) {
  IntegerGraph graph;
  graph.model.graph.AddInput("scale", FloatInfo({}));
  graph.Node("QuantizeLinear", {"x", "scale", "z"}, "q");
  graph.Node("MaxPool", {"q"}, "p")->attributes["kernel_shape"] = std::vector<int64_t>{2, 2};
  const std::vector<double> half(1, 0.5);
  graph.Constant("d", Tensor::From<double>(DataType::kDouble, {}, half));
  graph.Node("QLinearSigmoid", {"x_quantized", "d", "z", "d", "z"}, "g", "com.microsoft");
  graph.model.graph.AddOutput("p", {DataType::kUInt8, Shape{1, 4, 7, 7}});
  graph.model.graph.AddOutput("g", {DataType::kUInt8, Shape{1, 4, 8, 8}});
  EXPECT_EQ(graph.Run(), Effect::kUnchanged);
  EXPECT_EQ(graph.warnings.size(), 1u);
  EXPECT_EQ(graph.model.graph.FindNode("p_node")->input(0), "q");
}

TEST(Qdq, PadWithTheCodeOfZeroWhateverItsName) {
  for (const uint8_t code : {3, 4}) {
    IntegerGraph graph;
    graph.Constant("value", Tensor::From<uint8_t>(DataType::kUInt8, {}, std::vector<uint8_t>(1, code)));
    graph.Node("Pad", {"x_quantized", "p", "value"}, "y_quantized");
    graph.Node("DequantizeLinear", {"y_quantized", "s", "z"}, "y");
    graph.model.graph.AddInput("p", {.type = DataType::kInt64, .shape = Shape{8}});
    graph.model.graph.AddOutput("y", FloatInfo({1, 4, 10, 10}));
    EXPECT_EQ(graph.Run(), code == 3 ? Effect::kChanged : Effect::kUnchanged);
    EXPECT_EQ(graph.model.graph.FindNode("y_quantized_node")->input(2), code == 3 ? "" : "value");
  }
}

TEST(Qdq, ScalesThatAreComputedStay) {
  IntegerGraph graph;
  graph.model.graph.AddNode("DynamicQuantizeLinear", {"x"}, {"d", "d_scale", "d_zero_point"});
  graph.Constant("w_quantized", Tensor::Allocate(DataType::kInt8, {8, 2}));
  graph.Node("MatMulIntegerToFloat", {"d", "w_quantized", "d_scale", "s", "d_zero_point", "z"}, "y", "com.microsoft");
  graph.model.graph.AddOutput("y", FloatInfo({1, 4, 8, 2}));
  EXPECT_EQ(graph.Run(), Effect::kUnchanged);
  ASSERT_EQ(graph.warnings.size(), 1u);
  EXPECT_NE(graph.warnings[0].find("'y_node' stays MatMulIntegerToFloat"), std::string::npos);
}

}  // namespace
}  // namespace preon
