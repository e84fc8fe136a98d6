#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/test_graphs.h"
#include "quantize/targets/ort_cpu/ort_cpu_planner.h"
#include "quantize/targets/targets.h"
#include "quantize/write/apply_plan.h"

namespace preon {
namespace {

using test::GraphBuilder;

std::map<std::string, Range> SameRange(const QuantPlan& plan, Range range) {
  std::map<std::string, Range> ranges;
  for (const std::string& tensor : plan.ObservedTensors()) ranges[tensor] = range;
  return ranges;
}

Model Quantize(const Model& model, Range range, const PlanOptions& options = {}) {
  Result<QuantPlan> plan = PlanForOrtCpu(model, options);
  EXPECT_TRUE(plan.ok()) << plan.status().ToString();
  Result<Model> quantized = ApplyPlan(model, *plan, SameRange(*plan, range));
  EXPECT_TRUE(quantized.ok()) << quantized.status().ToString();
  return quantized.ok() ? *quantized : Model{};
}

TEST(ApplyPlan, WarnsWhereAStorageThatIsAskedForIsForLargeModels) {
  for (const bool is_asked_for : {true, false}) {
    GraphBuilder b({1, 4, 8, 4096});
    const Tensor weight = Tensor::Allocate(DataType::kFloat, {4096, 4096});  // 64 MiB, once in memory
    for (int i = 0; i < 17; ++i) {
      b.model.graph.SetInitializer(StrCat("w", i), weight);
      b.Op("MatMul", {"x", StrCat("w", i)}, StrCat("y", i));
      b.Output(StrCat("y", i));
    }
    QuantPlan plan;
    plan.float_weights = {.smallest = FloatStorage::kInt8, .excluded_too = is_asked_for};
    std::vector<std::string> warnings;
    ASSERT_TRUE(ApplyPlan(b.model, plan, {}, {}, &warnings).ok());
    if (is_asked_for)
      EXPECT_THAT(warnings, testing::ElementsAre(testing::HasSubstr("--float-weights has no effect")));
    else
      EXPECT_TRUE(warnings.empty());
  }
}

TEST(ApplyPlan, NamesFollowTheContract) {
  GraphBuilder b({1, 4, 8, 8});
  b.Conv("x", "c1");
  b.Output("c1");
  const Model quantized = Quantize(b.model, {-1, 1});
  const Graph& graph = quantized.graph;
  for (const char* name :
       {"x_scale", "x_zero_point", "c1_w_quantized", "c1_w_scale", "c1_w_zero_point", "c1_b_quantized",
        "c1_b_quantized_scale", "c1_b_quantized_zero_point", "c1_scale", "c1_zero_point"}) {
    EXPECT_NE(graph.Initializer(name), nullptr) << name;
  }
  EXPECT_NE(graph.FindNode("x_QuantizeLinear"), nullptr);
  EXPECT_EQ(graph.Producer("c1")->name, "c1_DequantizeLinear") << "the public name is behind the DQ";
  EXPECT_NE(graph.Producer("c1_QuantizeLinear_Input"), nullptr);
  EXPECT_EQ(graph.Producer("c1_b")->name, "c1_b_DequantizeLinear");
  EXPECT_EQ(graph.Initializer("c1_w"), nullptr) << "the float weight is gone";
  EXPECT_EQ(graph.Initializer("c1_w_scale")->shape(), Shape{4});
  EXPECT_EQ(graph.Initializer("x_scale")->shape(), Shape{});
}

TEST(ApplyPlan, ReluIsAbsorbedOnlyWhenCodesClampAlike) {
  GraphBuilder b({1, 4, 8, 8});
  b.Conv("x", "c1");
  b.Op("Relu", {"c1"}, "r1");
  b.Conv("r1", "c2");
  b.Output("c2");
  EXPECT_EQ(Quantize(b.model, {0, 6}).graph.FindNode("r1_node"), nullptr);
  // Symmetric codes reach below 0: the clamp would be lost, so it stays.
  const Model symmetric = Quantize(b.model, {0, 6}, {.activation_symmetric = true});
  ASSERT_NE(symmetric.graph.FindNode("r1_node"), nullptr);
  EXPECT_NE(symmetric.graph.FindNode("c1_QuantizeLinear"), nullptr);
}

TEST(ApplyPlan, FloatReadersOfFloatTensorsKeepTheExactValue) {
  GraphBuilder b({1, 64, 256});
  b.Op("Tanh", {"x"}, "h", {1, 64, 256});
  b.Op("MatMul", {"h", b.Constant("w", {256, 256})}, "m", {1, 64, 256});
  b.Op("Add", {"h", "m"}, "y", {1, 64, 256});
  b.Output("y");
  const Model quantized = Quantize(b.model, {-1, 1});
  EXPECT_EQ(quantized.graph.FindNode("y_node")->input(0), "h");
  EXPECT_EQ(quantized.graph.FindNode("m_node")->input(0), "h_DequantizeLinear_Output");
  EXPECT_EQ(quantized.graph.FindNode("m_QuantizeLinear"), nullptr) << "MatMul has a kernel with float output";
}

TEST(ApplyPlan, DynamicNodesStandBesideStaticOnes) {
  GraphBuilder b({1, 4, 8, 8});
  b.Conv("x", "c");
  b.model.graph.SetInitializer("shape", Tensor::FromInt64s({3}, std::vector<int64_t>{4, 1, 64}));
  b.Op("Reshape", {"c", "shape"}, "sequence", {4, 1, 64});
  b.Lstm("sequence", "h", 64, 128);
  b.Output("h");
  const Graph graph = Quantize(b.model, {-1, 1}).graph;
  const Node* lstm = graph.FindNode("h_node_quant");
  ASSERT_NE(lstm, nullptr);
  EXPECT_EQ(lstm->op_type, "DynamicQuantizeLSTM");
  EXPECT_EQ(graph.Producer(lstm->input(0))->op_type, "Reshape");
  EXPECT_EQ(graph.Initializer("h_w_quantized")->type(), DataType::kInt8);
  EXPECT_EQ(graph.Initializer("h_w"), nullptr);
  EXPECT_NE(graph.FindNode("c_QuantizeLinear"), nullptr);
  EXPECT_TRUE(graph.CheckIntegrity().ok());
}

TEST(ApplyPlan, MissingRangeNamesTheTensor) {
  GraphBuilder b({1, 4, 8, 8});
  b.Conv("x", "c1");
  b.Output("c1");
  const QuantPlan plan = *PlanForOrtCpu(b.model, {});
  const Result<Model> quantized = ApplyPlan(b.model, plan, {{"x", {-1, 1}}});
  ASSERT_FALSE(quantized.ok());
  EXPECT_EQ(quantized.status().id(), ErrorId::kRangeMissing);
  EXPECT_THAT(quantized.status().message(), ::testing::StartsWith("c1:"));
}

TEST(ApplyPlan, TakenNamesGetASuffix) {
  GraphBuilder b({1, 4, 8, 8});
  b.Op("Tanh", {"x"}, "x_scale");
  b.Conv("x", "c1");
  b.Op("Add", {"c1", "x_scale"}, "y");
  b.Output("y");
  const Model quantized = Quantize(b.model, {-1, 1});
  EXPECT_NE(quantized.graph.Initializer("x_scale_1"), nullptr);
  EXPECT_TRUE(quantized.graph.CheckIntegrity().ok());
}

TEST(ApplyPlan, FloatRegionReadsOneScalePerChannel) {
  GraphBuilder b({1, 4, 8, 8});
  b.Conv("x", "c1");
  b.Conv("c1", "c2");
  b.Conv("c2", "c3");
  b.Output("c3");
  const Model quantized = Quantize(b.model, {-1, 1}, {.exclude = {.names = {"c2_node"}}});
  const Node* guard = quantized.graph.Producer(quantized.graph.FindNode("c2_node")->input(0));
  EXPECT_EQ(quantized.graph.Initializer(guard->input(1))->shape(), Shape{4});
  EXPECT_EQ(guard->Int("axis", -1), 1);
}

TEST(ApplyPlan, ScalesAreOfTheTypeThatWasAskedFor) {
  GraphBuilder b({1, 4, 8, 8});
  b.Conv("x", "c1");
  b.Output("c1");
  const Model quantized =
      Quantize(b.model, {-0.3f, 0.9f}, {.scale_type = ScaleType::kPowerOfTwo, .weight_scale_type = ScaleType::kInt16});
  const auto scales = [&](const char* name) { return quantized.graph.Initializer(name)->floats(); };
  EXPECT_EQ(scales("x_scale")[0], 0x1p-8f) << "1.2 / 255, rounded";
  for (size_t channel = 0; channel < 4; ++channel) {
    EXPECT_TRUE(IsScaleOf(scales("c1_w_scale")[channel], ScaleType::kInt16));
    EXPECT_FALSE(IsScaleOf(scales("c1_w_scale")[channel], ScaleType::kPowerOfTwo));
    EXPECT_EQ(scales("c1_b_quantized_scale")[channel], 0x1p-8f * scales("c1_w_scale")[channel]);
  }
}

TEST(ApplyPlan, ScalesEnlargedForABiasStayOfTheType) {
  for (ScaleType type : {ScaleType::kPowerOfTwo, ScaleType::kInt16}) {
    GraphBuilder b({1, 4, 8, 8});
    b.Op("Conv", {"x", b.Constant("w", {4, 4, 1, 1}, 1e-3f), b.Constant("b", {4}, 7e4f)}, "c1");
    b.Output("c1");
    std::vector<std::string> warnings;
    const QuantPlan plan = *PlanForOrtCpu(b.model, {.scale_type = type});
    const Model quantized = *ApplyPlan(b.model, plan, SameRange(plan, {-2e-3f, 2e-3f}), {}, &warnings);
    EXPECT_THAT(warnings, ::testing::Contains("scales of w enlarged so that the bias fits int32"));
    const std::span<const float> scales = quantized.graph.Initializer("w_scale")->floats();
    for (size_t channel = 0; channel < 4; ++channel) {
      EXPECT_TRUE(IsScaleOf(scales[channel], type));
      EXPECT_LT(std::abs(quantized.graph.Initializer("b_quantized")->As<int32_t>()[channel]), INT32_MAX);
    }
  }
}

TEST(ApplyPlan, Int16ScalesOutOfReachAreOneWarning) {
  GraphBuilder b({1, 4, 8, 8});
  b.Op("Conv", {"x", b.Constant("w", {4, 4, 1, 1}, 1e-4f), b.Constant("b", {4})}, "c1");
  b.Output("c1");
  std::vector<std::string> warnings;
  const QuantPlan plan = *PlanForOrtCpu(b.model, {.scale_type = ScaleType::kInt16});
  ASSERT_TRUE(ApplyPlan(b.model, plan, SameRange(plan, {-1, 1e8f}), {}, &warnings).ok());
  EXPECT_THAT(warnings, ::testing::Contains("int16 scales reach from 2^-15 to 32767: 4 scales below and 2 above became "
                                            "the nearest of these, in 3 tensors, the first of them c1"));
}

}  // namespace
}  // namespace preon
