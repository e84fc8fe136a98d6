#include "eval/fusion_report.h"

#include <gtest/gtest.h>

namespace preon {
namespace {

// x -> Q -> DQ -> Conv(w codes) -> c -> Q -> DQ -> Relu -> r -> Reshape -> y, as it is written.
Graph Quantized() {
  Graph graph;
  graph.AddInput("x", {.type = DataType::kFloat});
  graph.SetInitializer("s", Tensor::ScalarFloat(1));
  graph.SetInitializer("w_codes", Tensor::From<int8_t>(DataType::kInt8, {1}, std::vector<int8_t>{1}));
  graph.AddNode("QuantizeLinear", {"x", "s"}, {"x_q"}, "q0");
  graph.AddNode("DequantizeLinear", {"x_q", "s"}, {"x_dq"}, "dq0");
  graph.AddNode("DequantizeLinear", {"w_codes", "s"}, {"w"}, "dqw");
  graph.AddNode("Conv", {"x_dq", "w"}, {"c"}, "conv");
  graph.AddNode("QuantizeLinear", {"c", "s"}, {"c_q"}, "q1");
  graph.AddNode("DequantizeLinear", {"c_q", "s"}, {"c_dq"}, "dq1");
  graph.AddNode("Reshape", {"c_dq", "s"}, {"r"}, "reshape");
  graph.AddNode("Erf", {"r"}, {"y"}, "erf");
  graph.AddNode("Dropout", {"y"}, {"z"}, "gone");
  return graph;
}

// The same after the runtime: the convolution rebuilt under a name of the layout change, the Reshape on codes.
Graph Optimized(const std::string& conv_name, const std::string& conv_output) {
  Graph graph;
  graph.AddInput("x", {.type = DataType::kFloat});
  graph.SetInitializer("s", Tensor::ScalarFloat(1));
  graph.SetInitializer("w_codes", Tensor::From<int8_t>(DataType::kInt8, {1}, std::vector<int8_t>{1}));
  graph.AddNode("QuantizeLinear", {"x", "s"}, {"x_q"}, "q0");
  graph.AddNode("QLinearConv", {"x_q", "w_codes"}, {conv_output}, conv_name, "com.microsoft");
  graph.AddNode("Reshape", {conv_output, "s"}, {"r_q"}, "reshape");
  graph.AddNode("DequantizeLinear", {"r_q", "s"}, {"r"}, "dq1");
  graph.AddNode("Erf", {"r"}, {"y"}, "erf");
  return graph;
}

TEST(FusionReport, TellsIntegerMoverFloatAndAbsorbed) {
  const auto kernels = ObserveKernels(Quantized(), Optimized("conv", "c_q"));
  ASSERT_EQ(kernels.size(), 4u);  // no Q, no DQ
  EXPECT_EQ(kernels.at("conv").kernel_class, KernelClass::kInteger);
  EXPECT_EQ(kernels.at("conv").kernel, "QLinearConv");
  EXPECT_EQ(kernels.at("reshape").kernel_class, KernelClass::kMover);
  EXPECT_EQ(kernels.at("erf").kernel_class, KernelClass::kFloat);
  EXPECT_EQ(kernels.at("gone").kernel_class, KernelClass::kAbsorbed);
}

TEST(FusionReport, FindsNodesThatTheRuntimeRebuilt) {
  for (const char* name : {"conv_token_17", "conv_nchwc", "fused conv", "conv/MatMulAddFusion"}) {
    EXPECT_EQ(ObserveKernels(Quantized(), Optimized(name, "t")).at("conv").kernel, "QLinearConv") << name;
  }
  // Nothing of the name is left: by the constant that only this node reads, and by what it writes.
  EXPECT_EQ(ObserveKernels(Quantized(), Optimized("?", "t")).at("conv").kernel, "QLinearConv");
  // In float with its activation, it reads the weight through a DequantizeLinear.
  Graph fused = Optimized("?", "t");
  fused.AddNode("DequantizeLinear", {"w_codes", "s"}, {"w"}, "dqw");
  fused.FindNode("?")->op_type = "FusedConv";
  fused.SetInput(fused.FindNode("?"), 1, "w");
  EXPECT_EQ(ObserveKernels(Quantized(), fused).at("conv").kernel_class, KernelClass::kFloat);
  Graph quantized = Quantized();
  quantized.AddNode("Neg", {"w_codes"}, {"other_reader"}, "neg");
  EXPECT_EQ(ObserveKernels(quantized, Optimized("?", "t")).at("conv").kernel_class, KernelClass::kAbsorbed);
  EXPECT_EQ(ObserveKernels(quantized, Optimized("?", "c_q")).at("conv").kernel, "QLinearConv");
}

TEST(FusionReport, NamesThatWereAssignedOnLoadAreNotCompared) {
  Graph quantized = Quantized(), optimized = Optimized("Erf_4", "t");  // its name counts nodes of the other file
  for (Graph* graph : {&quantized, &optimized}) {
    for (const auto& node : graph->nodes()) node->named_by_user = false;
  }
  quantized.FindNode("erf")->name = "Erf_4";
  const auto kernels = ObserveKernels(quantized, optimized);
  EXPECT_EQ(kernels.at("Erf_4").kernel_class, KernelClass::kFloat);
  EXPECT_EQ(kernels.at("conv").kernel, "QLinearConv");
  // As the runtime calls what is quantized earlier than in the file.
  optimized.SetOutput(optimized.Producer("y"), 0, "y_pre_q");
  EXPECT_EQ(ObserveKernels(quantized, optimized).at("Erf_4").kernel_class, KernelClass::kFloat);
}

TEST(FusionReport, ABiasThatAProductTakesInIsNoKernelOfItsOwn) {
  Graph quantized, optimized;
  for (Graph* graph : {&quantized, &optimized}) {
    graph->AddInput("x", {.type = DataType::kFloat});
    graph->SetInitializer("w", Tensor::From<int8_t>(DataType::kInt8, {1}, std::vector<int8_t>{1}));
    graph->SetInitializer("b", Tensor::ScalarFloat(1));
  }
  quantized.AddNode("MatMulInteger", {"x", "w"}, {"sums"}, "product");
  quantized.AddNode("Cast", {"sums"}, {"floats"}, "cast");
  quantized.AddNode("Add", {"floats", "b"}, {"y"}, "bias");
  optimized.AddNode("DynamicQuantizeMatMul", {"x", "w", "b"}, {"y"}, "fused", "com.microsoft");
  const auto kernels = ObserveKernels(quantized, optimized);
  EXPECT_EQ(kernels.at("product").kernel, "DynamicQuantizeMatMul");
  EXPECT_EQ(kernels.at("product").kernel_class, KernelClass::kInteger);
  EXPECT_EQ(kernels.at("bias").kernel_class, KernelClass::kAbsorbed);
}

TEST(FusionReport, KnowsTheRuntimesIntegerKernels) {
  for (const char* op : {"QLinearConv", "QLinearAdd", "QGemm", "MatMulIntegerToFloat", "ConvInteger"})
    EXPECT_TRUE(IsIntegerKernel(op)) << op;
  for (const char* op : {"Conv", "FusedGemm", "QuantizeLinear", "Q"}) EXPECT_FALSE(IsIntegerKernel(op)) << op;
}

}  // namespace
}  // namespace preon
