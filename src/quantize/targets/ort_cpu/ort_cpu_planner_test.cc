#include "quantize/targets/ort_cpu/ort_cpu_planner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/test_graphs.h"
#include "quantize/plan/test_plans.h"
#include "quantize/settings/node_selection.h"

namespace preon {
namespace {

using test::GraphBuilder;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

QuantPlan Plan(const Model& model, const PlanOptions& options = {}) {
  Result<QuantPlan> plan = PlanForOrtCpu(model, options);
  EXPECT_TRUE(plan.ok()) << plan.status().ToString();
  return plan.ok() ? *plan : QuantPlan{};
}

std::vector<std::string> QuantizedTensors(const QuantPlan& plan) {
  std::vector<std::string> names;
  for (const auto& [tensor, activation] : plan.activations) names.push_back(tensor);
  return names;
}

TEST(OrtCpuPlanner, ConvReluGetsOnePairBehindRelu) {
  GraphBuilder b({1, 4, 8, 8});
  b.Conv("x", "c1");
  b.Op("Relu", {"c1"}, "r1");
  b.Conv("r1", "c2");
  b.Output("c2");
  const QuantPlan plan = Plan(b.model);
  EXPECT_THAT(QuantizedTensors(plan), ElementsAre("c2", "r1", "x"));
  EXPECT_THAT(plan.folded_clamps, ElementsAre("r1_node"));
  EXPECT_THAT(plan.ObservedTensors(), ElementsAre("c2", "r1", "x"));
  EXPECT_EQ(plan.weights.at("c1_w").axis, 0);
  EXPECT_EQ(plan.weights.at("c1_w").format.type, DataType::kInt8);
}

TEST(OrtCpuPlanner, ReluBehindSharedConvIsNotFolded) {
  GraphBuilder b({1, 4, 8, 8});
  b.Conv("x", "c1");
  b.Op("Relu", {"c1"}, "r1");
  b.Conv("r1", "c2");
  b.Op("Add", {"c1", "c2"}, "sum");
  b.Conv("sum", "c3");
  b.Output("c3");
  const QuantPlan plan = Plan(b.model);
  EXPECT_THAT(QuantizedTensors(plan), UnorderedElementsAre("x", "c1", "r1", "c2", "sum", "c3"));
  EXPECT_THAT(plan.folded_clamps, IsEmpty());
  EXPECT_EQ(test::ReasonOf(plan, "sum_node"), FloatReason::kNone);
}

TEST(OrtCpuPlanner, MoversShareAndAreNotObserved) {
  GraphBuilder b({1, 4, 8, 8});
  b.Conv("x", "c1");
  b.Op("MaxPool", {"c1"}, "p1", {1, 4, 4, 4});
  b.Op("Transpose", {"p1"}, "t1", {1, 4, 4, 4});
  b.Conv("t1", "c2");
  b.Output("c2");
  const QuantPlan plan = Plan(b.model);
  EXPECT_EQ(plan.activations.at("p1").shares, "c1");
  EXPECT_EQ(plan.activations.at("t1").shares, "c1");
  EXPECT_THAT(plan.ObservedTensors(), ElementsAre("c1", "c2", "x"));
}

TEST(OrtCpuPlanner, TailBehindLastConvStaysFloat) {
  GraphBuilder b({1, 4, 8, 8});
  b.Conv("x", "c1");
  b.Conv("c1", "boxes");
  b.Conv("c1", "scores");
  b.Op("Sigmoid", {"scores"}, "probabilities");
  b.Op("Concat", {"boxes", "probabilities"}, "y", {1, 8, 8, 8});
  b.Output("y");
  const QuantPlan plan = Plan(b.model);
  EXPECT_EQ(test::ReasonOf(plan, "probabilities_node"), FloatReason::kTail);
  EXPECT_EQ(test::ReasonOf(plan, "y_node"), FloatReason::kNoGain);
  EXPECT_EQ(plan.activations.count("probabilities"), 0u);
}

TEST(OrtCpuPlanner, SiluRunsInIntegers) {
  GraphBuilder b({1, 4, 8, 8});
  b.Conv("x", "c1");
  b.Op("Sigmoid", {"c1"}, "s1");
  b.Op("Mul", {"c1", "s1"}, "m1");
  b.Conv("m1", "c2");
  b.Output("c2");
  const QuantPlan plan = Plan(b.model);
  EXPECT_EQ(test::ReasonOf(plan, "s1_node"), FloatReason::kNone);
  EXPECT_EQ(test::ReasonOf(plan, "m1_node"), FloatReason::kNone);
}

TEST(OrtCpuPlanner, AttentionMaskAndResidualStayFloat) {
  GraphBuilder b({1, 64, 256});
  b.Op("MatMul", {"x", b.Constant("wq", {256, 256})}, "q", {1, 64, 256});
  b.Op("MatMul", {"x", b.Constant("wk", {256, 256})}, "k", {1, 64, 256});
  b.Op("MatMul", {"q", "k"}, "scores", {1, 64, 64});
  b.Op("Add", {"scores", b.Constant("mask", {1, 64, 64}, -10000)}, "masked", {1, 64, 64});
  b.Op("Softmax", {"masked"}, "weights", {1, 64, 64});
  b.Output("weights");
  const QuantPlan plan = Plan(b.model);
  EXPECT_THAT(QuantizedTensors(plan), ElementsAre("x"));
  EXPECT_EQ(test::ReasonOf(plan, "masked_node"), FloatReason::kMask);
  EXPECT_EQ(test::ReasonOf(plan, "scores_node"), FloatReason::kNoGain);
  EXPECT_EQ(test::ReasonOf(plan, "q_node"), FloatReason::kNone);
  EXPECT_EQ(plan.weights.at("wq").axis, 1);
}

TEST(OrtCpuPlanner, ABiasInFrontOfSoftmaxIsNoMask) {
  GraphBuilder b({1, 64, 256});
  b.Op("MatMul", {"x", b.Constant("w", {256, 64})}, "product", {1, 64, 64});
  b.Op("Add", {b.Constant("bias", {64}), "product"}, "logits", {1, 64, 64});
  b.Op("Softmax", {"logits"}, "y", {1, 64, 64});
  b.Output("y");
  EXPECT_NE(test::ReasonOf(Plan(b.model), "logits_node"), FloatReason::kMask);
}

TEST(OrtCpuPlanner, SmallGemmIsLeftUnlessItIsAllThereIs) {
  GraphBuilder b({1, 64, 256});
  b.Op("MatMul", {"x", b.Constant("w1", {256, 256})}, "h", {1, 64, 256});
  b.Op("Tanh", {"h"}, "t", {1, 64, 256});
  b.Op("MatMul", {"t", b.Constant("w2", {256, 2})}, "y", {1, 64, 2});
  b.Output("y");
  EXPECT_EQ(test::ReasonOf(Plan(b.model), "y_node"), FloatReason::kNoGain);

  GraphBuilder tiny({1, 16});
  tiny.Op("Gemm", {"x", tiny.Constant("w", {16, 2})}, "y", {1, 2});
  tiny.Output("y");
  const QuantPlan plan = Plan(tiny.model);
  EXPECT_EQ(test::ReasonOf(plan, "y_node"), FloatReason::kNone);
  EXPECT_EQ(plan.warnings.size(), 1u);
}

TEST(OrtCpuPlanner, SmallGemmIsIntegerBelowATenthOfAPercentOfTheTime) {
  GraphBuilder b({1024, 1024});
  b.Op("MatMul", {"x", b.Constant("w1", {1024, 1024})}, "h", {1024, 1024});  // 6 ms
  b.Op("Tanh", {"h"}, "t", {1024, 1024});
  b.Op("ReduceMean", {"t"}, "mean", {1, 1024});
  b.Op("MatMul", {"mean", b.Constant("w2", {1024, 10})}, "y", {1, 10});  // 4 µs of Q and one more dispatch
  b.Output("y");
  EXPECT_EQ(test::ReasonOf(Plan(b.model), "y_node"), FloatReason::kNone);
}

// A convolution and an LSTM with so many units.
GraphBuilder ConvAndLstm(int64_t hidden) {
  GraphBuilder b({1, 4, 8, 8});
  b.model.graph.AddInput("sequence", test::FloatInfo({5, 1, 96}));
  b.Conv("x", "c");
  b.Output("c");
  b.Lstm("sequence", "h", 96, hidden);
  b.Output("h");
  return b;
}

TEST(OrtCpuPlanner, LstmFindsItsScalesInEachRun) {
  const GraphBuilder b = ConvAndLstm(128);
  const QuantPlan plan = *PlanForOrtCpu(b.model, {});
  EXPECT_EQ(plan.dynamic.nodes, std::vector<std::string>{"h_node"});
  EXPECT_EQ(plan.dynamic.weights.at("h_w").axis, 1);
  EXPECT_EQ(plan.weights.count("h_w"), 0u);
  EXPECT_EQ(plan.activations.count("sequence") + plan.activations.count("h"), 0u);
  const auto is_lstm = [](const NodeDecision& decision) { return decision.node == "h_node"; };
  const NodeDecision& decision = *std::ranges::find_if(plan.nodes, is_lstm);
  EXPECT_TRUE(decision.dynamic && !decision.is_static());
  EXPECT_EQ(decision.macs, 5.0 * 2 * 4 * 128 * (96 + 128));
  EXPECT_EQ(plan.NameInResult(decision), "h_node_quant");
  EXPECT_EQ(plan.NameInResult(plan.nodes.front()), "c_node");
}

TEST(OrtCpuPlanner, LstmStaysFloatWhereThatIsBetterOrAskedFor) {
  const GraphBuilder b = ConvAndLstm(128);
  EXPECT_EQ(test::ReasonOf(*PlanForOrtCpu(ConvAndLstm(16).model, {}), "h_node"), FloatReason::kNoGain);
  EXPECT_EQ(test::ReasonOf(*PlanForOrtCpu(b.model, {.exclude = {.types = {"LSTM"}}}), "h_node"),
            FloatReason::kExcluded);
  EXPECT_EQ(test::ReasonOf(*PlanForOrtCpu(b.model, {.left_float = {{"h_node", FloatReason::kAccuracy}}}), "h_node"),
            FloatReason::kAccuracy);
  EXPECT_EQ(test::ReasonOf(*PlanForOrtCpu(b.model, {.compat = Compat::kOnnxRuntime}), "h_node"),
            FloatReason::kNoKernel);
  // Target dynamic takes a model of nothing but such nodes.
  EXPECT_TRUE(PlanForOrtCpu(b.model, {.exclude = {.types = {"Conv"}}})->empty());
}

// A convolution and a table of so many rows.
GraphBuilder ConvAndTable(int64_t rows) {
  GraphBuilder b({1, 4, 8, 8});
  b.model.graph.AddInput("ids", test::FloatInfo({5}));
  b.Conv("x", "c");
  b.Output("c");
  b.Op("Gather", {b.Constant("table", {rows, 64}), "ids"}, "rows");
  b.Output("rows");
  return b;
}

TEST(OrtCpuPlanner, TableThatIsMostOfTheFileGetsCodes) {
  const QuantPlan plan = Plan(ConvAndTable(1000).model);
  EXPECT_THAT(plan.dynamic.nodes, ElementsAre("rows_node"));
  EXPECT_EQ(plan.dynamic.weights.at("table").axis, 0);
  EXPECT_EQ(test::ReasonOf(Plan(ConvAndTable(100).model), "rows_node"), FloatReason::kNoGain);  // small
}

TEST(OrtCpuPlanner, TableStaysFloatWhereOthersReadItOrTheUserSaysSo) {
  GraphBuilder tied = ConvAndTable(1000);
  tied.Op("Transpose", {"table"}, "columns");
  tied.Output("columns");
  EXPECT_EQ(test::ReasonOf(Plan(tied.model), "rows_node"), FloatReason::kNoGain);
  EXPECT_EQ(test::ReasonOf(Plan(ConvAndTable(1000).model, {.exclude = {.types = {"Gather"}}}), "rows_node"),
            FloatReason::kExcluded);
}

TEST(OrtCpuPlanner, ExcludedConvBecomesFloatRegion) {
  GraphBuilder b({1, 4, 8, 8});
  b.Conv("x", "c1");
  b.Conv("c1", "c2");
  b.Conv("c2", "c3");
  b.Output("c3");
  const QuantPlan plan = Plan(b.model, {.exclude = {.names = {"c2*"}}});
  EXPECT_EQ(test::ReasonOf(plan, "c2_node"), FloatReason::kExcluded);
  EXPECT_THAT(plan.float_regions, ElementsAre("c2_node"));
  EXPECT_EQ(plan.weights.count("c2_w"), 0u);
}

TEST(OrtCpuPlanner, UnknownNamesAreErrorsWithTheNearest) {
  GraphBuilder b({1, 4, 8, 8});
  b.Conv("x", "c1");
  b.Output("c1");
  const Status unknown = CheckNames(b.model.graph, {"c1_nod"}, {}, {});
  EXPECT_EQ(unknown.id(), ErrorId::kNameNotInModel);
  EXPECT_THAT(unknown.message(), ::testing::HasSubstr("did you mean 'c1_node'"));
  EXPECT_TRUE(CheckNames(b.model.graph, {"c1*"}, {}, {}).ok());
  EXPECT_EQ(PlanForOrtCpu(b.model, {.activation = DataType::kUInt16}).status().id(), ErrorId::kNotYetSupported);
}

TEST(OrtCpuPlanner, NamesOfWhatRewritesRemovedAreWarnings) {
  GraphBuilder b({1, 4, 8, 8});
  b.Conv("x", "c1");
  b.Output("c1");
  EXPECT_THAT(Plan(b.model, {.exclude = {.names = {"gone"}, .types = {"Identity"}}}).warnings,
              ElementsAre(::testing::HasSubstr("'gone' has no effect"),
                          ::testing::HasSubstr("'Identity' has no effect"), ::testing::HasSubstr("are small")));
}

TEST(OrtCpuPlanner, OriginsAnswerToExclusion) {
  GraphBuilder b({1, 4, 8, 8});
  b.Conv("x", "c1");
  b.Output("c1");
  b.model.graph.FindNode("c1_node")->origins.push_back("bn_of_the_user");
  EXPECT_EQ(test::ReasonOf(Plan(b.model, {.exclude = {.names = {"bn_of_the_user"}}}), "c1_node"),
            FloatReason::kExcluded);
}

TEST(OrtCpuPlanner, OverrideBreaksSharing) {
  GraphBuilder b({1, 4, 8, 8});
  b.Conv("x", "c1");
  b.Op("MaxPool", {"c1"}, "p1");
  b.Conv("p1", "c2");
  b.Output("c2");
  const QuantPlan plan = Plan(b.model, {.settings = {.overrides = {{"p1", {.range = Range{-1, 1}}}}}});
  EXPECT_EQ(plan.activations.at("p1").shares, "");
  EXPECT_EQ(plan.activations.at("p1").source, RangeSource::kFixed);
}

// The type may come from the options, so only planning knows the codes.
TEST(OrtCpuPlanner, ZeroPointsOfOverridesAreCodesOfTheTensor) {
  GraphBuilder b({1, 4, 8, 8});
  b.Conv("x", "c1");
  b.Output("c1");
  const std::tuple<const char*, int32_t, const char*> rows[] = {
      {"x", 300, "overrides: x: zero_point: got 300, wanted an integer from 0 to 255 (uint8)"},
      {"x", -1, "overrides: x: zero_point: got -1, wanted an integer from 0 to 255 (uint8)"},
      {"c1_w", 500, "overrides: c1_w: zero_point: got 500, wanted an integer from -128 to 127 (int8)"},
  };
  for (const auto& [tensor, zero_point, message] : rows) {
    PlanOptions options;
    options.settings.overrides[tensor].params = QuantParams{0.5f, zero_point};
    const Result<QuantPlan> plan = PlanForOrtCpu(b.model, options);
    ASSERT_FALSE(plan.ok());
    EXPECT_EQ(plan.status().id(), ErrorId::kBadConfig);
    EXPECT_EQ(plan.status().message(), message);
    options.settings.overrides[tensor].params->zero_point = 127;
    EXPECT_TRUE(PlanForOrtCpu(b.model, options).ok());
  }
}

TEST(OrtCpuPlanner, TypesOfOverridesAreThoseOfTheKernels) {
  GraphBuilder b({1, 4, 8, 8});
  b.Conv("x", "c1");
  b.Output("c1");
  for (const char* tensor : {"x", "c1_w"}) {
    PlanOptions options;
    options.settings.overrides[tensor].type = DataType::kInt4;
    const Result<QuantPlan> plan = PlanForOrtCpu(b.model, options);
    ASSERT_FALSE(plan.ok());
    EXPECT_EQ(plan.status().id(), ErrorId::kNotYetSupported);
    EXPECT_EQ(plan.status().message(), StrCat("overrides: ", tensor,
                                              ": target ort-cpu does not support type 'int4'; it supports: "
                                              "int8, uint8"));
  }
}

// Replicate padding in front of a convolution, of what a float operator writes.
TEST(OrtCpuPlanner, PaddingBySlicesMovesCodesOfOneScale) {
  GraphBuilder b({1, 4, 8, 8});
  b.Op("Softplus", {"x"}, "t");
  b.Op("Slice", {"t"}, "left", {1, 4, 8, 1});
  b.Op("Slice", {"t"}, "right", {1, 4, 8, 1});
  b.Op("Concat", {"left", "t", "right"}, "wide", {1, 4, 8, 10});
  b.Conv("wide", "c");
  b.Output("c");
  const QuantPlan plan = Plan(b.model);
  EXPECT_THAT(QuantizedTensors(plan), ElementsAre("c", "left", "right", "t", "wide"));
  EXPECT_THAT(plan.ObservedTensors(), ElementsAre("c", "t"));
  for (const char* tensor : {"left", "right", "wide"}) EXPECT_EQ(plan.activations.at(tensor).shares, "t");
  for (const char* node : {"left_node", "right_node", "wide_node"})
    EXPECT_EQ(test::ReasonOf(plan, node), FloatReason::kNone);
  // One that is excluded moves floats: a pair behind it, and none in front.
  EXPECT_THAT(QuantizedTensors(Plan(b.model, {.exclude = {.names = {"wide_node"}}})), ElementsAre("c", "wide"));
}

TEST(OrtCpuPlanner, AnyPadMovesCodes) {
  for (const char* mode : {"edge", "reflect", "constant"}) {
    GraphBuilder b({1, 4, 8, 8});
    b.Op("Softplus", {"x"}, "t");
    b.Op("Pad", {"t"}, "wide", {1, 4, 10, 10})->attributes["mode"] = std::string(mode);
    b.Conv("wide", "c");
    b.Output("c");
    const QuantPlan plan = Plan(b.model);
    EXPECT_EQ(plan.activations.at("wide").shares, "t") << mode;
    EXPECT_EQ(test::ReasonOf(plan, "wide_node"), FloatReason::kNone) << mode;
  }
}

}  // namespace
}  // namespace preon
