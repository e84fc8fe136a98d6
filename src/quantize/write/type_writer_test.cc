// What each type becomes in a graph, by target and form of weights.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/number_formats.h"
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

Model MatMulModel() {
  GraphBuilder b({4, 40});
  b.Constant("w", {40, 6});
  b.Op("MatMul", {"x", "w"}, "y", {4, 6});
  b.Output("y");
  b.model.opsets[""] = 21;
  return std::move(b.model);
}

Result<Model> WrittenTypes(const Target& target, const PlanOptions& options) {
  const Model model = MatMulModel();
  PREON_ASSIGN_OR_RETURN(const QuantPlan plan, target.Plan(model, options));
  TensorRanges ranges;
  for (const std::string& tensor : plan.ObservedTensors()) ranges[tensor] = {-1, 1};
  return ApplyPlan(model, plan, ranges);
}

PlanOptions Both(std::string_view type) {
  PlanOptions options;
  options.activation = options.weight = *ParseTensorType(type);
  return options;
}

// Types of the nodes up to the MatMul's input.
std::vector<std::string> PathTo(const Graph& graph, size_t input) {
  const Node* reader = graph.FindNode("y_node");
  std::vector<std::string> path;
  for (const Node* node = graph.Producer(reader->input(input)); node != nullptr; node = graph.Producer(node->input(0)))
    path.insert(path.begin(), node->op_type);
  return path;
}

TEST(TypesOfWeights, BFloat16AsQuarkWritesIt) {
  const auto quark = MakeQuarkTarget();
  PlanOptions options = Both("bfloat16");
  options.compat = Compat::kQuark;
  options.weight_form = WeightForm::kPacked;
  EXPECT_THAT(PathTo(WrittenTypes(*quark, options)->graph, 1), ElementsAre("ExtendedDequantizeLinear"));
  options.bfloat16.casts = true;
  options.scaled = {.activation = true, .weight = true};
  options.per_channel = false;
  const Result<Model> scaled = WrittenTypes(*quark, options);
  ASSERT_TRUE(scaled.ok()) << scaled.status().ToString();
  EXPECT_THAT(PathTo(scaled->graph, 0), ElementsAre("Mul", "Cast", "Cast", "Mul"));
  const float scale = scaled->graph.Initializer("x_DequantizeLinear_scale")->floats()[0];
  EXPECT_EQ(scaled->graph.Initializer("x_QuantizeLinear_scale")->floats()[0], 1 / scale);
}

TEST(TypesOfWeights, PackedFoldedOrBehindOperators) {
  const auto quark = MakeQuarkTarget(), simulate = MakeSimulateTarget();
  const auto path = [](const Target& target, PlanOptions options, std::optional<WeightForm> form) {
    options.weight_form = form;
    const Result<Model> model = WrittenTypes(target, options);
    EXPECT_TRUE(model.ok()) << model.status().ToString();
    return PathTo(model->graph, 1);
  };
  using Path = std::vector<std::string>;
  const Path kDequantize = {"DequantizeLinear"}, kPair = {"QuantizeLinear", "DequantizeLinear"}, kNone;
  EXPECT_EQ(path(*quark, Both("int8"), {}), kDequantize);
  EXPECT_EQ(path(*quark, Both("int8"), WeightForm::kOperators), kPair);
  EXPECT_EQ(path(*quark, Both("int8"), WeightForm::kFolded), kNone);
  EXPECT_EQ(path(*quark, Both("bfp16"), {}), Path{"BFPQuantizeDequantize"});
  EXPECT_EQ(path(*quark, Both("mxfp4e2m1"), {}), Path{"MXQuantizeDequantize"});
  EXPECT_EQ(path(*quark, Both("bfloat16"), {}), (Path{"ExtendedQuantizeLinear", "ExtendedDequantizeLinear"}));
  EXPECT_EQ(path(*quark, Both("uint32"), {}), (Path{"ExtendedQuantizeLinear", "ExtendedDequantizeLinear"}));
  EXPECT_EQ(path(*simulate, Both("bfloat16"), {}), Path{"Cast"});
  EXPECT_EQ(path(*simulate, Both("uint32"), {}), kNone);
  EXPECT_EQ(path(*simulate, Both("mx9"), {}), kNone);
  EXPECT_EQ(path(*simulate, Both("mx9"), WeightForm::kPacked), kDequantize);
  EXPECT_EQ(path(*simulate, Both("float8e4m3fn"), {}), kDequantize);
  PlanOptions uint32 = Both("uint32");
  uint32.weight_form = WeightForm::kPacked;
  EXPECT_EQ(WrittenTypes(*simulate, uint32).status().id(), ErrorId::kFormatCombination);
}

TEST(TypesOfWeights, ScalesPerBlockAlongTheReducedAxis) {
  PlanOptions options = Both("int8");
  options.weight = DataType::kInt4;
  options.block_size = 16;
  const Result<Model> model = WrittenTypes(*MakeSimulateTarget(), options);
  ASSERT_TRUE(model.ok()) << model.status().ToString();
  const Node* dequantize = model->graph.Producer(model->graph.FindNode("y_node")->input(1));
  EXPECT_EQ(dequantize->Int("axis", -1), 0);
  EXPECT_EQ(dequantize->Int("block_size", 0), 16);
  EXPECT_EQ(model->graph.Initializer(dequantize->input(0))->type(), DataType::kInt4);
  EXPECT_EQ(model->graph.Initializer(dequantize->input(1))->shape(), (Shape{3, 6}));
  EXPECT_EQ(model->graph.Initializer(dequantize->input(2))->type(), DataType::kInt4);
}

TEST(TypesOfActivations, InTheLibrarysOperatorsOrTheStandards) {
  const auto domains = [](const Target& target, std::string_view type) {
    const Result<Model> model = WrittenTypes(target, Both(type));
    EXPECT_TRUE(model.ok()) << type << ": " << model.status().ToString();
    std::set<std::string> found;
    for (const auto& node : model->graph.nodes()) found.insert(node->domain);
    EXPECT_EQ(model->opsets.contains(kQuarkDomain), found.contains(kQuarkDomain)) << type;
    return found;
  };
  for (const auto& format : NumberFormats().entries()) {
    const bool qdq =
        format->linear() != nullptr && (IsIntType(format->onnx_type()) ? DataTypeBits(format->onnx_type()) <= 16
                                                                       : DataTypeBits(format->onnx_type()) == 8);
    EXPECT_THAT(domains(*MakeSimulateTarget(), format->name()), ElementsAre("")) << format->name();
    const DataType type = format->onnx_type();
    std::set<std::string> expected = {""};  // the MatMul's, and that of its pairs
    if (!qdq)
      expected.insert(kQuarkDomain);
    else if (IsIntType(type) && type != DataType::kInt8 && type != DataType::kUInt8)
      expected.insert(kContribDomain);
    EXPECT_EQ(domains(*MakeQuarkTarget(), format->name()), expected) << format->name();
  }
}

TEST(TypesOfActivations, BFloat16AsCastsWithClipAndAtInputsAlone) {
  PlanOptions options = Both("bfloat16");
  options.bfloat16 = {.casts = true, .clip = true};
  Model model = *WrittenTypes(*MakeQuarkTarget(), options);
  EXPECT_THAT(PathTo(model.graph, 0), ElementsAre("Clip", "Cast", "Cast"));
  EXPECT_THAT(PathTo(model.graph, 1), ElementsAre("Cast", "Cast"));
  EXPECT_TRUE(model.graph.Producer("y")->Is("Cast"));
  options.bfloat16 = {.vaiml = true};
  model = *WrittenTypes(*MakeQuarkTarget(), options);
  EXPECT_THAT(PathTo(model.graph, 0), ElementsAre("Cast", "Cast"));
  EXPECT_THAT(PathTo(model.graph, 1), ElementsAre());
  EXPECT_TRUE(model.graph.Producer("y")->Is("MatMul"));
}

TEST(TypesOfActivations, ScaledBFloat16DividesFirst) {
  PlanOptions options = Both("bfloat16");
  options.scaled.activation = options.scaled.weight = true;
  const Model model = *WrittenTypes(*MakeSimulateTarget(), options);
  EXPECT_THAT(PathTo(model.graph, 0), ElementsAre("Div", "Cast", "Cast", "Mul"));
  EXPECT_THAT(PathTo(model.graph, 1), ElementsAre("Cast", "Mul"));
  const Node* mul = model.graph.Producer(model.graph.FindNode("y_node")->input(0));
  EXPECT_EQ(model.graph.Initializer(mul->input(1))->floats()[0], 0.5f);  // the largest is 2 afterwards
}

}  // namespace
}  // namespace preon
