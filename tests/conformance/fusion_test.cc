// One small graph per fusion of ONNX Runtime: planned for ort-cpu, written, loaded at full optimization; the operators
// of the runtime's own optimized graph must be the integer kernels that the planner counted on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/output/temp_dir.h"
#include "config/builtins.h"
#include "ir/model_io.h"
#include "ir/test_graphs.h"
#include "quantize/plan/plan_options.h"
#include "quantize/plan/quant_plan.h"
#include "quantize/plan/target.h"
#include "quantize/targets/targets.h"
#include "quantize/write/apply_plan.h"
#include "runtime/session.h"

namespace preon {
namespace {

using test::GraphBuilder;
using ::testing::Contains;
using ::testing::Not;

// Quantizes with the range [-1, 1] everywhere ([0, 1] where `positive`) and returns the optimized graph's operators.
std::vector<std::string> ExecutedOps(Model model, const PlanOptions& options = {}) {
  model.ir_version = 9;
  const std::unique_ptr<Target> target = MakeOrtCpuTarget();
  const Builtins builtins = MakeBuiltins();
  PassRunnerOptions runner;
  for (const auto& pass : builtins.passes.entries()) {
    const std::string name(pass->name());
    const bool wanted = pass->phase() == PassPhase::kLast && target->WantsPass(name, pass->on_by_default(), options);
    (wanted ? runner.enabled : runner.disabled).insert(name);
  }
  RunPasses(model, builtins.passes, {}, runner);
  Result<QuantPlan> plan = target->Plan(model, options);
  EXPECT_TRUE(plan.ok()) << plan.status().ToString();
  if (!plan.ok()) return {};
  std::map<std::string, Range> ranges;
  for (const std::string& tensor : plan->ObservedTensors()) {
    const Node* producer = model.graph.Producer(tensor);
    const bool positive =
        producer != nullptr && (producer->Is("Relu") || producer->Is("Sigmoid") || producer->Is("Clip"));
    ranges[tensor] = positive ? Range{0, 1} : Range{-1, 1};
  }
  Result<Model> quantized = ApplyPlan(model, *plan, ranges);
  EXPECT_TRUE(quantized.ok()) << quantized.status().ToString();
  if (!quantized.ok()) return {};

  const TempDir dir = *TempDir::Create(::testing::TempDir());
  const RunContext context;
  Result<Session> session = Session::OpenModel(*quantized, {.save_optimized_to = dir.File("optimized.onnx")}, context);
  EXPECT_TRUE(session.ok()) << session.status().ToString();
  if (!session.ok()) return {};
  Shape shape = session->inputs()[0].shape;
  const Tensor input = Tensor::Allocate(DataType::kFloat, shape);
  const auto outputs = session->Run({{session->inputs()[0].name, input}}, context);
  EXPECT_TRUE(outputs.ok()) << outputs.status().ToString();
  Result<Model> optimized = LoadModel(dir.File("optimized.onnx"));
  EXPECT_TRUE(optimized.ok()) << optimized.status().ToString();
  std::vector<std::string> ops;
  if (optimized.ok()) {
    for (const auto& node : optimized->graph.nodes()) ops.push_back(node->op_type);
  }
  return ops;
}

int64_t CountOf(const std::vector<std::string>& ops, const std::string& op) {
  return std::count(ops.begin(), ops.end(), op);
}

TEST(Fusion, ConvReluConv) {
  GraphBuilder b({1, 4, 8, 8});
  b.Conv("x", "c1");
  b.Op("Relu", {"c1"}, "r1");
  b.Conv("r1", "c2");
  b.Output("c2");
  const auto ops = ExecutedOps(b.model);
  EXPECT_EQ(CountOf(ops, "QLinearConv"), 2);
  EXPECT_THAT(ops, Not(Contains("Relu")));
  EXPECT_EQ(CountOf(ops, "QuantizeLinear"), 1);
  EXPECT_EQ(CountOf(ops, "DequantizeLinear"), 1);
}

TEST(Fusion, DepthwiseAndGroupedConv) {
  for (int64_t group : {int64_t{2}, int64_t{4}}) {
    GraphBuilder b({1, 4, 8, 8});
    Node* conv = b.Op("Conv", {"x", b.Constant("w", {4, 4 / group, 3, 3}), b.Constant("b", {4})}, "y");
    conv->attributes["group"] = group;
    conv->attributes["pads"] = std::vector<int64_t>{1, 1, 1, 1};
    b.Output("y");
    EXPECT_EQ(CountOf(ExecutedOps(b.model), "QLinearConv"), 1) << group;
  }
}

TEST(Fusion, ConvInOneAndThreeDimensions) {
  // Of a 3-D convolution with few channels the planner expects no gain.
  const std::tuple<size_t, int64_t, int64_t> rows[] = {{1, 4, 1}, {3, 32, 1}, {3, 4, 0}};
  for (const auto& [spatial, channels, integer] : rows) {
    Shape data(spatial + 2, 4), weight(spatial + 2, 1);
    data[0] = 1;
    data[1] = weight[0] = weight[1] = channels;
    GraphBuilder b(data);
    b.Op("Conv", {"x", b.Constant("w", weight)}, "y", data);
    b.model.graph.AddOutput("y", test::FloatInfo(data));
    EXPECT_EQ(CountOf(ExecutedOps(b.model), "QLinearConv"), integer) << spatial << "-D, " << channels << " channels";
  }
}

TEST(Fusion, ResidualAddWithRelu) {
  GraphBuilder b({1, 4, 8, 8});
  b.Conv("x", "c1");
  b.Conv("c1", "c2");
  b.Op("Add", {"c1", "c2"}, "sum");
  b.Op("Relu", {"sum"}, "r");
  b.Conv("r", "c3");
  b.Output("c3");
  const auto ops = ExecutedOps(b.model);
  EXPECT_EQ(CountOf(ops, "QLinearConv"), 3);
  EXPECT_EQ(CountOf(ops, "QLinearAdd"), 1);
  EXPECT_THAT(ops, Not(Contains("Relu")));
}

TEST(Fusion, SiluBetweenConvs) {
  GraphBuilder b({1, 4, 8, 8});
  b.Conv("x", "c1");
  b.Op("Sigmoid", {"c1"}, "s");
  b.Op("Mul", {"c1", "s"}, "m");
  b.Conv("m", "c2");
  b.Output("c2");
  const auto ops = ExecutedOps(b.model);
  EXPECT_EQ(CountOf(ops, "QLinearConv"), 2);
  EXPECT_EQ(CountOf(ops, "QLinearSigmoid"), 1);
  EXPECT_EQ(CountOf(ops, "QLinearMul"), 1);
}

TEST(Fusion, LeakyReluPoolingConcat) {
  GraphBuilder b({1, 4, 8, 8});
  b.Conv("x", "c1");
  b.Op("LeakyRelu", {"c1"}, "l")->attributes["alpha"] = 0.1f;
  Node* average = b.Op("AveragePool", {"l"}, "a");
  average->attributes["kernel_shape"] = std::vector<int64_t>{3, 3};
  average->attributes["pads"] = std::vector<int64_t>{1, 1, 1, 1};
  Node* max = b.Op("MaxPool", {"l"}, "m");
  max->attributes["kernel_shape"] = std::vector<int64_t>{3, 3};
  max->attributes["pads"] = std::vector<int64_t>{1, 1, 1, 1};
  b.Op("Concat", {"a", "m"}, "cat", {1, 8, 8, 8})->attributes["axis"] = int64_t{1};
  b.Op("Conv", {"cat", b.Constant("w", {4, 8, 1, 1})}, "y");
  b.Output("y");
  const auto ops = ExecutedOps(b.model);
  EXPECT_EQ(CountOf(ops, "QLinearConv"), 2);
  EXPECT_EQ(CountOf(ops, "QLinearLeakyRelu"), 1);
  EXPECT_EQ(CountOf(ops, "QLinearAveragePool"), 1);
  EXPECT_EQ(CountOf(ops, "QLinearConcat"), 1);
  EXPECT_EQ(CountOf(ops, "DequantizeLinear"), 1);
}

TEST(Fusion, PoolFlattenGemm) {
  GraphBuilder b({1, 4, 8, 8});
  b.Conv("x", "c1");
  b.Op("GlobalAveragePool", {"c1"}, "g", {1, 4, 1, 1});
  b.Op("Flatten", {"g"}, "f", {1, 4});
  b.Op("Gemm", {"f", b.Constant("w", {4, 3}), b.Constant("b", {3})}, "y", {1, 3});
  b.model.graph.AddOutput("y", test::FloatInfo({1, 3}));
  const auto ops = ExecutedOps(b.model);
  EXPECT_EQ(CountOf(ops, "QLinearConv"), 1);
  EXPECT_EQ(CountOf(ops, "QLinearGlobalAveragePool"), 1);
  EXPECT_EQ(CountOf(ops, "QGemm"), 1);
  EXPECT_THAT(ops, Not(Contains("DequantizeLinear")));
}

TEST(Fusion, GemmInFrontOfActivation) {
  for (const char* activation : {"Relu", "Tanh"}) {
    GraphBuilder b({1, 512});
    b.Op("Gemm", {"x", b.Constant("w", {512, 512}), b.Constant("b", {512})}, "g", {1, 512});
    b.Op(activation, {"g"}, "a", {1, 512});
    b.Op("Softmax", {"a"}, "y", {1, 512});
    b.model.graph.AddOutput("y", test::FloatInfo({1, 512}));
    EXPECT_EQ(CountOf(ExecutedOps(b.model), "QGemm"), 1) << activation;
  }
}

TEST(Fusion, LinearLayerWithBiasAndFloatOutput) {
  GraphBuilder b({1, 64, 256});
  b.Op("Tanh", {"x"}, "t", {1, 64, 256});
  b.Op("MatMul", {"t", b.Constant("w", {256, 64})}, "m", {1, 64, 64});
  b.Op("Add", {"m", b.Constant("b", {64})}, "y", {1, 64, 64});
  b.model.graph.AddOutput("y", test::FloatInfo({1, 64, 64}));
  const auto ops = ExecutedOps(b.model);
  EXPECT_EQ(CountOf(ops, "MatMulIntegerToFloat"), 1);
  EXPECT_THAT(ops, Not(Contains("Gemm")));
}

TEST(Fusion, BatchNormInFrontOfConvBecomesInteger) {
  GraphBuilder b({1, 4, 8, 8});
  b.Conv("x", "c1");
  b.Op("Add", {"x", "c1"}, "sum");
  b.Op("BatchNormalization",
       {"sum", b.Constant("s", {4}), b.Constant("o", {4}), b.Constant("mean", {4}), b.Constant("var", {4}, 1)}, "n");
  b.model.graph.SetInitializer("var", Tensor::FromFloats({4}, std::vector<float>{1, 2, 3, 4}));
  b.Op("Relu", {"n"}, "r");
  b.Conv("r", "c2");
  b.Op("Add", {"sum", "c2"}, "y");
  b.Output("y");
  const auto ops = ExecutedOps(b.model);
  EXPECT_THAT(ops, Not(Contains("BatchNormalization")));
  EXPECT_EQ(CountOf(ops, "QLinearConv"), 3);
}

TEST(Fusion, ExcludedConvStaysFloatBetweenIntegerLayers) {
  GraphBuilder b({1, 4, 8, 8});
  b.Conv("x", "c1");
  b.Conv("c1", "c2");
  b.Conv("c2", "c3");
  b.Output("c3");
  const auto ops = ExecutedOps(b.model, {.exclude = {.names = {"c2_node"}}});
  EXPECT_EQ(CountOf(ops, "QLinearConv"), 2);
  EXPECT_EQ(CountOf(ops, "Conv") + CountOf(ops, "FusedConv"), 1);
}

}  // namespace
}  // namespace preon
