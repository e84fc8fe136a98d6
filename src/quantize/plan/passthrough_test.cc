#include "quantize/plan/passthrough.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "ir/text_format.h"

namespace preon {
namespace {

// x -> Relu -> a -> OP -> b -> OP -> c; the plan quantizes whatever a test says.
Model Chain(const std::string& first, const std::string& second) {
  auto model = ParseModelText(R"(<ir_version: 8, opset_import: ["" : 17]>
    chain (float[1, 4, 8, 8] x) => (float[1, 4, 8, 8] c)
    <float[2] table = {-3, 7}, int64[4] shape = {1, 4, 8, 8}>
    { a = Relu(x)
      b = )" + first + R"(
      c = )" + second + " }");
  EXPECT_TRUE(model.ok()) << model.status().ToString();
  return std::move(model).value();
}

QuantPlan PlanObserving(const std::vector<std::string>& tensors) {
  QuantPlan plan;
  for (const std::string& tensor : tensors) plan.activations[tensor];
  return plan;
}

bool HasWarning(const QuantPlan& plan, std::string_view text) {
  return std::ranges::any_of(plan.warnings, [&](const std::string& w) { return w.find(text) != std::string::npos; });
}

class RecommendedOps : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(RecommendedOps, SharesWithTheNearestTensorThatIsNotMoved) {
  const auto [op, call] = GetParam();
  const Model model = Chain(call, "Transpose <perm = [0, 1, 2, 3]> (b)");
  QuantPlan plan = PlanObserving({"a", "b", "c"});
  InheritRanges(model.graph, {op, "Transpose"}, {}, &plan);
  for (const char* tensor : {"b", "c"}) {
    EXPECT_EQ(plan.activations.at(tensor).shares, "a") << tensor;
    EXPECT_TRUE(plan.activations.at(tensor).inherited);
  }
  EXPECT_EQ(plan.RangeTensors(), std::vector<std::string>{"a"});
  EXPECT_TRUE(plan.warnings.empty());
}

INSTANTIATE_TEST_SUITE_P(Ops, RecommendedOps,
                         testing::Values(std::pair("Reshape", "Reshape(a, shape)"),
                                         std::pair("Transpose", "Transpose <perm = [0, 1, 3, 2]> (a)"),
                                         std::pair("MaxPool", "MaxPool <kernel_shape = [1, 1]> (a)"),
                                         std::pair("Split", "Split <axis = 1> (a)"),
                                         std::pair("Slice", "Slice(a, shape, shape)"),
                                         std::pair("Squeeze", "Squeeze(a, shape)"),
                                         std::pair("Unsqueeze", "Unsqueeze(a, shape)"),
                                         std::pair("Gather", "Gather(a, shape)")),
                         [](const auto& test) { return std::string(test.param.first); });

TEST(Passthrough, ASourceInFloatIsObservedInstead) {
  const Model model = Chain("Reshape(a, shape)", "MaxPool <kernel_shape = [1, 1]> (b)");
  QuantPlan plan = PlanObserving({"c"});
  InheritRanges(model.graph, {"Reshape", "MaxPool"}, {}, &plan);
  EXPECT_EQ(plan.activations.at("c").range_of, "a");
  EXPECT_EQ(plan.RangeTensors(), std::vector<std::string>{"c"});
  EXPECT_EQ(plan.ObservedTensors(), std::vector<std::string>{"a"});
}

TEST(Passthrough, ConstantsAndInputsAreSources) {
  const Model constant = Chain("Gather(table, shape)", "Relu(b)");
  QuantPlan plan = PlanObserving({"b"});
  InheritRanges(constant.graph, {"Gather"}, {}, &plan);
  EXPECT_EQ(plan.activations.at("b").source, RangeSource::kFixed);
  EXPECT_EQ(plan.activations.at("b").fixed, (Range{-3, 7}));
  EXPECT_TRUE(plan.ObservedTensors().empty());

  const Model input = Chain("Reshape(x, shape)", "Relu(b)");
  plan = PlanObserving({"b"});
  InheritRanges(input.graph, {"Reshape"}, {}, &plan);
  EXPECT_EQ(plan.activations.at("b").range_of, "x");
}

TEST(Passthrough, AnotherFormatTakesTheRangeButNotTheScale) {
  const Model model = Chain("Reshape(a, shape)", "Relu(b)");
  QuantPlan plan = PlanObserving({"a", "b"});
  plan.activations["b"].format.type = DataType::kInt16;
  InheritRanges(model.graph, {"Reshape"}, {}, &plan);
  EXPECT_EQ(plan.activations.at("b").shares, "");
  EXPECT_EQ(plan.activations.at("b").range_of, "a");
}

TEST(Passthrough, OverridesStayAndAreSources) {
  const Model model = Chain("Reshape(a, shape)", "Transpose <perm = [0, 1, 2, 3]> (b)");
  QuantPlan plan = PlanObserving({"a", "b", "c"});
  InheritRanges(model.graph, {"Reshape", "Transpose"}, {{"b", {.range = Range{-1, 1}}}}, &plan);
  EXPECT_FALSE(plan.activations.at("b").inherited);
  EXPECT_EQ(plan.activations.at("c").shares, "b");
}

TEST(Passthrough, WhoSharedTheInheritorSharesItsSource) {
  const Model model = Chain("Reshape(a, shape)", "Relu(b)");
  QuantPlan plan = PlanObserving({"a", "b", "c"});
  plan.activations["c"].shares = "b";
  InheritRanges(model.graph, {"Reshape"}, {}, &plan);
  EXPECT_EQ(plan.activations.at("c").shares, "a");
  EXPECT_FALSE(plan.activations.at("c").inherited);
}

TEST(Passthrough, OthersAreLeftAloneAndWarnings) {
  const Model model = Chain("Relu(a)", "Reshape(b, shape)");
  QuantPlan plan = PlanObserving({"a", "b", "c"});
  InheritRanges(model.graph, {"Relu", "Reshap"}, {}, &plan);
  EXPECT_TRUE(HasWarning(plan, "Relu changes values"));
  EXPECT_TRUE(HasWarning(plan, "did you mean 'Reshape'?"));
  EXPECT_FALSE(plan.activations.at("c").inherited);
  EXPECT_EQ(plan.activations.at("b").range_of, "x");
}

TEST(Passthrough, JoinsAreRefused) {
  EXPECT_TRUE(CheckPassthrough({"Reshape", "Relu"}).ok());
  EXPECT_EQ(CheckPassthrough({"Concat"}).id(), ErrorId::kBadOptionValue);
}

}  // namespace
}  // namespace preon
