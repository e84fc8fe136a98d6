#include <gtest/gtest.h>

#include <functional>

#include "ir/test_graphs.h"
#include "quantize/qdq_passes/qdq_passes.h"

namespace preon {
namespace {

using test::FloatInfo;

/// Graphs in Q/DQ form; all activations are uint8 unless told, with scale 0.5 and zero point 3.
class QdqBuilder {
 public:
  QdqBuilder() {
    model.opsets[""] = 17;
    model.graph.AddInput("x", FloatInfo({1, 4, 8, 8}));
  }

  /// x → Q → DQ; its parameters are its own.
  std::string Pair(const std::string& x, float scale = 0.5f, DataType type = DataType::kUInt8) {
    Params(x, {scale}, type);
    model.graph.AddNode("QuantizeLinear", {x, x + "_scale", x + "_zero_point"}, {x + "_q"}, x + "_Q");
    model.graph.AddNode("DequantizeLinear", {x + "_q", x + "_scale", x + "_zero_point"}, {x + "_dq"}, x + "_DQ");
    return x + "_dq";
  }

  /// Codes of a constant → DQ.
  std::string Weight(const std::string& name, Shape shape, std::vector<float> scales = {0.25f}, int64_t axis = 0) {
    Params(name, scales, DataType::kInt8);
    const std::vector<int8_t> codes(static_cast<size_t>(ElementCount(shape)), 7);
    model.graph.SetInitializer(name + "_q", Tensor::From<int8_t>(DataType::kInt8, shape, codes));
    Node* node = model.graph.AddNode("DequantizeLinear", {name + "_q", name + "_scale", name + "_zero_point"}, {name},
                                     name + "_DQ");
    if (scales.size() > 1) node->attributes["axis"] = axis;
    return name;
  }

  std::string Bias(const std::string& name, std::vector<int32_t> codes, float scale) {
    const auto count = static_cast<int64_t>(codes.size());
    model.graph.SetInitializer(name + "_q", Tensor::From<int32_t>(DataType::kInt32, {count}, codes));
    model.graph.SetInitializer(name + "_scale", Tensor::ScalarFloat(scale));
    model.graph.SetInitializer(name + "_zero_point", Tensor::Allocate(DataType::kInt32, {}));
    model.graph.AddNode("DequantizeLinear", {name + "_q", name + "_scale", name + "_zero_point"}, {name}, name + "_DQ");
    return name;
  }

  Node* Op(const std::string& type, std::vector<std::string> inputs, const std::string& y) {
    return model.graph.AddNode(type, std::move(inputs), {y}, y + "_node");
  }

  std::map<std::string, int> Converted() {
    std::vector<std::string> warnings;
    EXPECT_TRUE(RunQdqPasses(model, {}, {.enabled = {"qoperator"}}, warnings).ok());
    std::map<std::string, int> count;
    for (const auto& node : model.graph.nodes()) ++count[node->op_type];
    return count;
  }

  Model model;

 private:
  void Params(const std::string& base, const std::vector<float>& scales, DataType type) {
    const Shape shape = scales.size() == 1 ? Shape{} : Shape{static_cast<int64_t>(scales.size())};
    model.graph.SetInitializer(base + "_scale", Tensor::FromFloats(shape, scales));
    model.graph.SetInitializer(base + "_zero_point", Tensor::Allocate(type, shape));
  }
};

using Counts = std::map<std::string, int>;

TEST(QOperator, ChainOfKernelsHasPairsAtItsEndsAlone) {
  QdqBuilder graph;
  const std::string x = graph.Pair("x");
  graph.Op("Conv", {x, graph.Weight("w", {4, 4, 1, 1}, {0.25f, 0.5f, 1, 2}), graph.Bias("b", {1, 2, 3, 4}, 0.125f)},
           "c");
  // Per channel products, one scale of the bias: its codes follow.
  const std::string c = graph.Pair("c");
  graph.Op("Sigmoid", {c}, "s");
  graph.Op("Mul", {c, graph.Pair("s")}, "m");
  const std::string m = graph.Pair("m");
  graph.Op("MaxPool", {m}, "p")->attributes["kernel_shape"] = std::vector<int64_t>{2, 2};
  graph.Pair("p");
  graph.model.graph.AddOutput("p_dq", FloatInfo({1, 4, 7, 7}));
  EXPECT_EQ(graph.Converted(), (Counts{{"QuantizeLinear", 1},
                                       {"QLinearConv", 1},
                                       {"QLinearSigmoid", 1},
                                       {"QLinearMul", 1},
                                       {"MaxPool", 1},
                                       {"DequantizeLinear", 1}}));
  const Graph& result = graph.model.graph;
  const Node* conv = result.FindNode("c_node");
  EXPECT_EQ(conv->inputs(), (std::vector<std::string>{"x_q", "x_scale", "x_zero_point", "w_q", "w_scale",
                                                      "w_zero_point", "c_scale", "c_zero_point", "b_quantized"}));
  EXPECT_EQ(conv->output(), "c_q");
  const std::span<const int32_t> bias = result.Initializer("b_quantized")->As<int32_t>();
  // 0.125 / (0.5 * 0.25, 0.5 * 0.5, …), ties to even.
  EXPECT_EQ(std::vector(bias.begin(), bias.end()), (std::vector<int32_t>{1, 1, 1, 0}));
  EXPECT_EQ(result.FindNode("p_node")->inputs(), std::vector<std::string>{"m_q"});
  EXPECT_EQ(graph.model.opsets.at("com.microsoft"), 1);
}

TEST(QOperator, ProductsWithoutCodesBehindGiveFloats) {
  QdqBuilder graph;
  const std::string x = graph.Pair("x");
  graph.Op("MatMul", {x, graph.Weight("w", {8, 8}, std::vector<float>(8, 0.5f), 1)}, "y");
  graph.Op("Gemm", {x, graph.Weight("v", {8, 8}), graph.Bias("b", std::vector<int32_t>(8, 5), 0.125f)}, "z");
  graph.model.graph.AddOutput("y", FloatInfo({8, 8}));
  graph.model.graph.AddOutput("z", FloatInfo({8, 8}));
  EXPECT_EQ(graph.Converted(), (Counts{{"QuantizeLinear", 1}, {"MatMulIntegerToFloat", 1}, {"QGemm", 1}}));
  EXPECT_EQ(graph.model.graph.FindNode("z_node")->inputs().back(), "b_q");  // the codes as they were
  EXPECT_EQ(graph.model.graph.Initializer("b_quantized"), nullptr);
}

TEST(QOperator, KeepsFloatWhatHasNoKernel) {
  const auto converted = [](const std::function<void(QdqBuilder&)>& build) {
    QdqBuilder graph;
    build(graph);
    graph.model.graph.AddOutput("end", FloatInfo({1}));
    graph.Op("Identity", {"y_dq"}, "end");
    return graph.Converted();
  };
  const Counts float_node = {{"QuantizeLinear", 2}, {"DequantizeLinear", 2}, {"Identity", 1}};
  const auto with = [&](const char* op) {
    Counts counts = float_node;
    counts[op] = 1;
    return counts;
  };
  EXPECT_EQ(converted([](QdqBuilder& g) { g.Op("Tanh", {g.Pair("x")}, "y"), g.Pair("y"); }), with("Tanh"));
  // Another scale behind a node that only moves values.
  EXPECT_EQ(converted([](QdqBuilder& g) { g.Op("Transpose", {g.Pair("x", 0.5f)}, "y"), g.Pair("y", 0.25f); }),
            with("Transpose"));
  EXPECT_EQ(converted([](QdqBuilder& g) { g.Op("Sigmoid", {g.Pair("x")}, "y"), g.Pair("y", 1, DataType::kInt8); }),
            with("Sigmoid"));
  EXPECT_EQ(converted([](QdqBuilder& g) {
              g.Op("Transpose", {g.Pair("x", 0.5f, DataType::kUInt16)}, "y"), g.Pair("y", 0.5f, DataType::kUInt16);
            }),
            with("Transpose"));
  // A second reader of the float value.
  Counts shared = with("Sigmoid");
  shared["Neg"] = 1;
  EXPECT_EQ(converted([](QdqBuilder& g) {
              g.Op("Sigmoid", {g.Pair("x")}, "y"), g.Pair("y"), g.Op("Neg", {"y"}, "n");
              g.model.graph.AddOutput("n", FloatInfo({1}));
            }),
            shared);
}

TEST(QOperator, LeavesBiasesThatDoNotFit) {
  QdqBuilder graph;
  graph.Op("Conv", {graph.Pair("x"), graph.Weight("w", {1, 4, 1, 1}), graph.Bias("b", {1 << 30}, 1.0f)}, "c");
  graph.Pair("c");
  graph.model.graph.AddOutput("c_dq", FloatInfo({1}));
  EXPECT_EQ(graph.Converted().at("Conv"), 1);
}

}  // namespace
}  // namespace preon
