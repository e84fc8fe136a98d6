// What each layout option does to a graph.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "formats/quark_operators.h"
#include "ir/test_graphs.h"
#include "quantize/plan/plan_options.h"
#include "quantize/plan/quant_plan.h"
#include "quantize/plan/target.h"
#include "quantize/targets/targets.h"
#include "quantize/write/apply_plan.h"

namespace preon {
namespace {

using test::GraphBuilder;
using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

// x -> Conv c -> Relu r -> Conv d, Add s (d + r) -> y
GraphBuilder Residual() {
  GraphBuilder b({1, 4, 8, 8});
  b.Conv("x", "c");
  b.Op("Relu", {"c"}, "r");
  b.Conv("r", "d");
  b.Op("Add", {"d", "r"}, "s");
  b.Output("s");
  return b;
}

Model Quantized(const GraphBuilder& b, const PlanOptions& options, const Target& target) {
  const Result<QuantPlan> plan = target.Plan(b.model, options);
  EXPECT_TRUE(plan.ok()) << plan.status().ToString();
  TensorRanges ranges;
  for (const std::string& tensor : plan->RangeTensors())
    ranges[tensor] = {plan->ObservedFor(tensor) == "r" ? 0.0f : -1.0f, 1};
  const Result<Model> model = ApplyPlan(b.model, *plan, ranges);
  EXPECT_TRUE(model.ok()) << model.status().ToString();
  return *model;
}
Model Ort(const GraphBuilder& b, const PlanOptions& options) { return Quantized(b, options, *MakeOrtTarget()); }
Model Quark(const GraphBuilder& b, const PlanOptions& options) { return Quantized(b, options, *MakeQuarkTarget()); }

// Tensors that a QuantizeLinear reads.
std::vector<std::string> Pairs(const Model& model) {
  std::vector<std::string> tensors;
  for (const auto& node : model.graph.nodes()) {
    if (node->op_type == "QuantizeLinear") tensors.push_back(node->input(0));
  }
  return tensors;
}

int64_t Count(const Model& model, std::string_view op_type) {
  return std::ranges::count(model.graph.nodes(), op_type,
                            [](const auto& node) { return std::string_view(node->op_type); });
}

PlanOptions OptionsWith(const std::function<void(OpListOptions&)>& set) {
  PlanOptions options;
  set(options.op_list);
  return options;
}

TEST(Selection, OpTypesAndNodes) {
  const GraphBuilder b = Residual();
  EXPECT_THAT(Pairs(Ort(b, {})), UnorderedElementsAre("x", "r", "d", "s_QuantizeLinear_Input"));
  EXPECT_THAT(Pairs(Ort(b, OptionsWith([](auto& l) { l.selection.op_types = {"Add"}; }))),
              UnorderedElementsAre("d", "r", "s_QuantizeLinear_Input"));
  EXPECT_THAT(Pairs(Ort(b, OptionsWith([](auto& l) { l.selection.nodes = {"c_node"}; }))),
              UnorderedElementsAre("x", "c"));
  GraphBuilder exp({1, 4, 8, 8});
  exp.Conv("x", "c");
  exp.Op("Exp", {"c"}, "e");
  exp.Output("e");
  EXPECT_THAT(Pairs(Ort(exp, {})), UnorderedElementsAre("x", "c"));
  EXPECT_THAT(Pairs(Ort(exp, OptionsWith([](auto& l) { l.selection.extra_op_types = {"Exp"}; }))),
              UnorderedElementsAre("x", "c", "e_QuantizeLinear_Input"));
  EXPECT_THAT(Pairs(Ort(exp, OptionsWith([](auto& l) { l.selection.all_op_types = true; }))),
              UnorderedElementsAre("x", "c", "e_QuantizeLinear_Input"));
}

TEST(Selection, WeightsOnlyAndConstantFactors) {
  const Model weights = Ort(Residual(), OptionsWith([](auto& l) { l.selection.weights_only = true; }));
  EXPECT_THAT(Pairs(weights), ElementsAre());
  EXPECT_EQ(Count(weights, "DequantizeLinear"), 2);  // of the weights, not of the biases
  GraphBuilder b({4, 4});
  b.Op("MatMul", {"x", "x"}, "m", {4, 4});
  b.Op("MatMul", {"m", b.Constant("w", {4, 4})}, "n", {4, 4});
  b.Output("n");
  EXPECT_THAT(Pairs(Ort(b, OptionsWith([](auto& l) { l.selection.matmul_const_b_only = true; }))),
              UnorderedElementsAre("m", "n_QuantizeLinear_Input"));
}

TEST(Pairs, MoversWithoutQuantizedInput) {
  GraphBuilder b({1, 4, 8, 8});
  b.Op("Transpose", {"x"}, "t");
  b.Output("t");
  EXPECT_TRUE(MakeOrtTarget()->Plan(b.model, {})->empty());
  const Model forced = Ort(b, OptionsWith([](auto& l) { l.pairs.force_without_input = true; }));
  EXPECT_THAT(Pairs(forced), UnorderedElementsAre("x", "t_QuantizeLinear_Input"));
  EXPECT_EQ(forced.graph.Producer("t")->input(1), "x_scale");
}

TEST(Pairs, OnePerReaderOrOneDequantizePerReader) {
  const GraphBuilder b = Residual();
  const Model pairs = Ort(b, OptionsWith([](auto& l) { l.pairs.dedicated = true; }));
  EXPECT_THAT(Pairs(pairs), UnorderedElementsAre("x", "r", "r", "d", "s_QuantizeLinear_Input"));
  EXPECT_EQ(pairs.graph.FindNode("s_node")->input(1), "r_DequantizeLinear_Output_2");
  const Model dequantizers = Ort(b, OptionsWith([](auto& l) { l.pairs.dedicated_dequantize = true; }));
  EXPECT_THAT(Pairs(dequantizers), UnorderedElementsAre("x", "r", "d", "s_QuantizeLinear_Input"));
  EXPECT_EQ(dequantizers.graph.FindNode("s_node")->input(1), "r_DequantizeLinear_Output_1");
}

TEST(Pairs, ClampsFoldWhereCodesDoTheirWork) {
  const GraphBuilder b = Residual();
  EXPECT_EQ(Count(Ort(b, {}), "Relu"), 0);
  EXPECT_EQ(Count(Ort(b, OptionsWith([](auto& l) { l.pairs.keep_clamps = true; })), "Relu"), 1);
  EXPECT_EQ(Count(Ort(b, {.activation_symmetric = true}), "Relu"), 1);
  PlanOptions extended = OptionsWith([](auto& l) { l.format = QuarkFormat::kExtended; });
  EXPECT_EQ(Count(Quark(b, extended), "Relu"), 1);
  extended.op_list.pairs.fold_relu = true;
  EXPECT_EQ(Count(Quark(b, extended), "Relu"), 0);
  PlanOptions below_zero;
  below_zero.settings.overrides["r"].range = Range{-1, 1};  // the clamp would be lost
  EXPECT_EQ(Count(Ort(b, below_zero), "Relu"), 1);
}

TEST(Pairs, UnsignedRelu) {
  PlanOptions options = OptionsWith([](auto& l) { l.pairs.unsigned_relu = true; });
  options.activation = DataType::kInt8;
  options.activation_symmetric = true;
  const Model model = Quark(Residual(), options);
  EXPECT_EQ(model.graph.Initializer("r_zero_point")->As<int8_t>()[0], -128);
  EXPECT_EQ(model.graph.Initializer("x_zero_point")->As<int8_t>()[0], 0);
  options.compat = Compat::kQuark;
  EXPECT_EQ(Quark(Residual(), options).graph.Initializer("r_zero_point")->As<int8_t>()[0], 0);
}

TEST(Pairs, RemovedBehindKernelsAndBetweenOperators) {
  const GraphBuilder b = Residual();
  PlanOptions options{.activation = DataType::kInt8, .activation_symmetric = true};
  EXPECT_THAT(Pairs(Quark(b, options)), UnorderedElementsAre("x", "r", "d", "s_QuantizeLinear_Input"));
  options.op_list.pairs.removed.conv_relu = false;
  EXPECT_THAT(Pairs(Quark(b, options)), UnorderedElementsAre("x", "c", "r", "d", "s_QuantizeLinear_Input"));
  options.op_list.pairs.removed.between = {{"Conv", "Add"}};
  EXPECT_THAT(Pairs(Quark(b, options)), UnorderedElementsAre("x", "c", "r", "s_QuantizeLinear_Input"));
}

TEST(Pairs, OutputsThatStayFloat) {
  const GraphBuilder b = Residual();
  EXPECT_THAT(Pairs(Ort(b, OptionsWith([](auto& l) { l.pairs.no_output_types = {"Add"}; }))),
              UnorderedElementsAre("x", "r", "d"));
  EXPECT_THAT(Pairs(Ort(b, OptionsWith([](auto& l) { l.pairs.no_output_nodes = {"d_node"}; }))),
              UnorderedElementsAre("x", "r", "s_QuantizeLinear_Input"));
}

TEST(Pairs, DomainAndChannelAxis) {
  const Model contrib = Ort(Residual(), OptionsWith([](auto& l) { l.pairs.contrib_domain = true; }));
  EXPECT_EQ(contrib.graph.FindNode("x_QuantizeLinear")->domain, kContribDomain);
  EXPECT_TRUE(contrib.opsets.contains(kContribDomain));
  GraphBuilder b({1, 4, 8, 8});
  b.Op("ConvTranspose", {"x", b.Constant("w", {4, 4, 1, 1})}, "c");
  b.Op("Conv", {"c", b.Constant("v", {4, 4, 1, 1})}, "d");
  b.Output("d");
  const PlanOptions options = OptionsWith([](auto& l) { l.pairs.channel_axis = {{"Conv", 1}, {"ConvTranspose", 0}}; });
  const Model other = Ort(b, options);
  EXPECT_EQ(other.graph.Initializer("w_scale")->shape(), Shape{4});
  EXPECT_EQ(other.graph.FindNode("w_DequantizeLinear")->Int("axis", -1), 0);
  EXPECT_EQ(other.graph.Initializer("v_scale")->shape(), Shape{});  // the runtime's kernel would fail
  EXPECT_THAT(MakeOrtTarget()->Plan(b.model, options)->warnings, ElementsAre(::testing::HasSubstr("'v' of node")));
}

TEST(OrtTarget, WeightsWithScalesPerChannelHaveOneZeroPoint) {
  const PlanOptions options{.weight = DataType::kUInt8, .weight_symmetric = false};
  const Model model = Ort(Residual(), options);
  EXPECT_THAT(model.graph.Initializer("c_w_zero_point")->As<uint8_t>(), ::testing::Each(128));
  EXPECT_THAT(MakeOrtTarget()->Plan(Residual().model, options)->warnings,
              ElementsAre(::testing::HasSubstr("WeightSymmetric=false")));
}

TEST(Pairs, ConstantsOfElementwiseOperators) {
  GraphBuilder b({1, 4, 8, 8});
  b.Op("Add", {"x", b.Constant("k", {4, 1, 1})}, "s");
  b.Output("s");
  PlanOptions options{.activation = DataType::kInt16};
  EXPECT_EQ(Quark(b, options).graph.Initializer("k_quantized")->type(), DataType::kInt8);
  options.op_list.pairs.align_elementwise = true;
  EXPECT_EQ(Quark(b, options).graph.Initializer("k_quantized")->type(), DataType::kInt16);
}

TEST(Pairs, InputsOfAlignedElementwiseOperatorsShareWithNobody) {
  GraphBuilder b({1, 4, 8, 8});
  b.Conv("x", "c");
  b.Op("Transpose", {"c"}, "t");
  b.Op("Add", {"t", b.Constant("k", {4, 1, 1})}, "s");
  b.Output("s");
  PlanOptions options{.activation = DataType::kInt16};
  const auto has_its_own = [&] { return Quark(b, options).graph.Initializer("t_scale") != nullptr; };
  EXPECT_FALSE(has_its_own());
  options.op_list.pairs.align_elementwise = true;
  EXPECT_TRUE(has_its_own());
}

TEST(Pairs, BlocksGoWithThePairsWhereAsked) {
  GraphBuilder b = Residual();
  PlanOptions options{.activation = *ParseTensorType("bfp16"), .weight = *ParseTensorType("bfp16")};
  EXPECT_EQ(Count(Quark(b, options), kBfpQuantizeDequantize), 9);  // five tensors, four constants
  options.op_list.pairs.fused = true;
  EXPECT_EQ(Count(Quark(b, options), kBfpQuantizeDequantize), 8);  // without the one in front of Relu
}

TEST(Biases, FloatOrOfTheWeightsTypeOrShort) {
  const GraphBuilder b = Residual();
  const auto type_of = [&](const std::function<void(OpListOptions&)>& set) {
    const Model model = Quark(b, OptionsWith(set));
    const Tensor* codes = model.graph.Initializer("c_b_quantized");
    return codes == nullptr ? DataType::kFloat : codes->type();
  };
  EXPECT_EQ(type_of([](auto&) {}), DataType::kInt32);
  EXPECT_EQ(type_of([](auto& l) { l.bias.quantize = false; }), DataType::kFloat);
  EXPECT_EQ(type_of([](auto& l) { l.bias.int32 = false; }), DataType::kInt8);
  EXPECT_EQ(type_of([](auto& l) { l.bias.int16 = true; }), DataType::kInt16);
}

TEST(Biases, ProtectionIsOnUnlessCompatHasNone) {
  GraphBuilder b({1, 4, 8, 8});
  b.Op("Conv", {"x", b.Constant("w", {4, 4, 1, 1}, 1e-9f), b.Constant("k", {4}, 1e3f)}, "c");
  b.Output("c");
  const auto saturates = [&](PlanOptions options) {
    const Model model = Quark(b, options);
    return std::ranges::count(model.graph.Initializer("k_quantized")->As<int32_t>(), INT32_MAX) > 0;
  };
  PlanOptions compat{.compat = Compat::kQuark};
  EXPECT_FALSE(saturates({}));
  EXPECT_TRUE(saturates(compat));
  compat.op_list.bias.protect = true;
  EXPECT_FALSE(saturates(compat));
}

TEST(Alignment, InputsOfConcatTakeTheScaleOfTheOutput) {
  GraphBuilder b({1, 4, 8, 8});
  b.Op("Sigmoid", {"x"}, "r");  // its range is another
  b.Op("Concat", {"x", "r"}, "y")->attributes["axis"] = int64_t{1};
  b.Output("y");
  PlanOptions options = OptionsWith([](auto& l) { l.format = QuarkFormat::kExtended; });
  const auto scale = [](const Model& model, const char* tensor) {
    return model.graph.Initializer(tensor)->floats()[0];
  };
  const Model apart = Quark(b, options);
  EXPECT_NE(scale(apart, "r_scale"), scale(apart, "y_scale"));
  options.op_list.align.concat = true;
  const Model aligned = Quark(b, options);
  EXPECT_EQ(scale(aligned, "r_scale"), scale(aligned, "y_scale"));
}

TEST(Ranges, ReducedAndWidened) {
  GraphBuilder b({1, 4, 8, 8});
  b.Op("Conv", {"x", b.Constant("w", {4, 4, 1, 1})}, "c");
  b.Output("c");
  PlanOptions options{.per_channel = false};
  options.op_list.reduce_range = true;
  const Model model = Ort(b, options);
  EXPECT_LE(*std::ranges::max_element(model.graph.Initializer("w_quantized")->As<int8_t>()), 64);
  options.op_list.min_real_range = 10;
  EXPECT_EQ(Ort(b, options).graph.Initializer("x_scale")->floats()[0], static_cast<float>(10.0 / 255));
}

TEST(Overrides, ChannelsOfTheirOwn) {
  GraphBuilder b({1, 4, 8, 8});
  b.Op("Conv", {"x", b.Constant("w", {2, 4, 1, 1})}, "c");
  b.Output("c");
  PlanOptions options{.per_channel = false};
  options.settings.overrides["w"] = {.axis = 0, .channel_ranges = {{-1, 1}, {-2, 2}}};
  const auto scales = [&] {
    const Model model = Ort(b, options);
    const auto values = model.graph.Initializer("w_scale")->floats();
    return std::vector<float>(values.begin(), values.end());
  };
  EXPECT_THAT(scales(), ElementsAre(static_cast<float>(2.0 / 254), static_cast<float>(4.0 / 254)));
  options.settings.overrides["w"] = {.axis = 0, .channel_params = {{0.5f, 0}, {0.25f, 0}}};
  EXPECT_THAT(scales(), ElementsAre(0.5f, 0.25f));
}

TEST(Overrides, SecondPairForSomeReaders) {
  PlanOptions options;
  options.settings.overrides["r"].converts = {{.type = DataType::kUInt16, .nodes = {"s_node"}}};
  GraphBuilder b = Residual();
  b.model.opsets[""] = 21;
  const Model model = Ort(b, options);
  const Node* first = model.graph.Producer(model.graph.FindNode("d_node")->input(0));
  const Node* second = model.graph.Producer(model.graph.FindNode("s_node")->input(1));
  EXPECT_EQ(first->name, "r_DequantizeLinear");
  EXPECT_EQ(second->name, "r_convert_DequantizeLinear");
  EXPECT_EQ(second->input(1), "r_scale_convert");
  EXPECT_EQ(model.graph.Initializer("r_zero_point_convert")->type(), DataType::kUInt16);
  const Node* clone = model.graph.Producer(model.graph.Producer(second->input(0))->input(0));
  EXPECT_EQ(clone->name, "r_convert_clone_DequantizeLinear");
  EXPECT_EQ(clone->output(), "r_convert_QuantizeLinear_Input");
}

TEST(OrtTarget, OutputsOfMoversShareTheScaleOfATable) {
  GraphBuilder b({1, 4, 8, 8});
  ValueInfo info;
  info.type = DataType::kInt64;
  info.shape = Shape{2};
  b.model.graph.AddInput("i", info);
  b.Op("Gather", {b.Constant("table", {5, 3}), "i"}, "g", {2, 3});
  b.Output("g");
  const Model model = Ort(b, {});
  EXPECT_EQ(model.graph.FindNode("g_QuantizeLinear")->input(1), "table_scale");
}

TEST(OrtTarget, BiasesOfGroupedTransposedConvolutions) {
  GraphBuilder b({1, 4, 8, 8});
  Node* node = b.Op("ConvTranspose", {"x", b.Constant("w", {4, 2, 1, 1}), b.Constant("k", {4})}, "c");
  node->attributes["group"] = int64_t{2};
  b.Output("c");
  const Model model = Ort(b, {});
  EXPECT_EQ(model.graph.Initializer("w_scale")->shape(), (Shape{2}));
  EXPECT_EQ(model.graph.Initializer("k_quantized_scale")->shape(), (Shape{4}));
}

}  // namespace
}  // namespace preon
