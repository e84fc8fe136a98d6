#include "quantize/settings/given_scales.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/test_graphs.h"

namespace preon {
namespace {

using test::GraphBuilder;
using ::testing::HasSubstr;

// x -> Conv c (weights c_w [4, 4, 1, 1]) -> y, whose scale is c's.
GraphBuilder OneConv() {
  GraphBuilder b({1, 4, 8, 8});
  b.Conv("x", "c");
  b.Output("c");
  return b;
}

QuantPlan PlanOfOneConv() {
  QuantPlan plan;
  plan.activations["x"] = {.format = {DataType::kUInt8}};
  plan.activations["c"] = {.format = {DataType::kUInt8}};
  plan.activations["y"] = {.format = {DataType::kUInt8}, .shares = "c"};
  plan.weights["c_w"] = {.format = {DataType::kInt8, true}, .axis = 0};
  plan.biases = {{.node = "c_node", .bias = "c_b", .input = "x", .weight = "c_w"}};
  return plan;
}

TensorOverride Scales(DataType type, std::vector<QuantParams> params, std::optional<int> axis = std::nullopt) {
  const auto count = static_cast<int64_t>(params.size());
  return {.type = type, .axis = axis, .channels = count, .channel_params = std::move(params)};
}

TEST(GivenScales, SameValuesWithTheCodesOfThePlan) {
  QuantPlan plan = PlanOfOneConv();
  const std::vector<QuantParams> weights = {{1, 0}, {2, 0}, {3, 0}, {4, 0}};
  const Status put = PutGivenScales(OneConv().model.graph,
                                    {{"x", {.type = DataType::kInt8, .params = QuantParams{0.5f, -5}}},
                                     {"y", {.type = DataType::kUInt8, .params = QuantParams{0.25f, 7}}},
                                     {"c_w", Scales(DataType::kInt8, weights, 0)},
                                     {"c_b", {.type = DataType::kInt32, .params = QuantParams{1, 0}}},
                                     {"z", {.type = DataType::kUInt8, .params = QuantParams{1, 0}}}},
                                    &plan);
  ASSERT_TRUE(put.ok()) << put.message();
  EXPECT_EQ(plan.activations["x"].params, (QuantParams{0.5f, 123}));
  EXPECT_EQ(plan.activations["c"].params, (QuantParams{0.25f, 7}));  // y has c's
  EXPECT_FALSE(plan.activations["y"].params);
  EXPECT_EQ(plan.weights["c_w"].channel_params, weights);
  EXPECT_EQ(plan.weights["c_w"].format.q_min(), -128);
  ASSERT_EQ(plan.warnings.size(), 1u);
  EXPECT_THAT(plan.warnings[0], HasSubstr("1 of the file's tensors have no quantizer in this result, for example 'z'"));
  EXPECT_TRUE(plan.RangeTensors().empty());
}

TEST(GivenScales, OwnersGoOverWhatSharesTheirScale) {
  QuantPlan plan = PlanOfOneConv();
  ASSERT_TRUE(PutGivenScales(OneConv().model.graph,
                             {{"c", {.type = DataType::kUInt8, .params = QuantParams{1, 1}}},
                              {"a", {.type = DataType::kUInt8, .params = QuantParams{1, 1}}},
                              {"y", {.type = DataType::kUInt8, .params = QuantParams{2, 2}}}},
                             &plan)
                  .ok());
  EXPECT_EQ(plan.activations["c"].params, (QuantParams{1, 1}));
}

TEST(GivenScales, WhatDoesNotFitIsAnError) {
  const std::tuple<const char*, TensorOverride, const char*> rows[] = {
      {"x",
       {.type = DataType::kUInt16, .params = QuantParams{1, 0}},
       "x: got 16 bits, but the tensor is quantized to 8"},
      {"x", Scales(DataType::kUInt8, {{1, 0}, {1, 0}}), "x: got 2 scales for an activation, wanted one"},
      {"c",
       {.type = DataType::kUInt8, .params = QuantParams{0.3f, 0}},
       "c: scale: got 0.3, wanted one of scale type power-of-two such as 0.25"},
      {"z", {.type = DataType::kUInt8, .params = QuantParams{1, 0}}, "no tensor of the file has a fixed scale"},
      {"c_w", Scales(DataType::kInt8, {{1, 0}, {1, 0}}, 0),
       "c_w: got 2 scales for shape [4, 4, 1, 1], wanted 4 along axis 0"},
      {"c_w", Scales(DataType::kInt8, {{1, 0}, {1, 0}}, 1),
       "c_w: axis: got 1, but the weight's scales run along axis 0"},
  };
  for (const auto& [tensor, given, says] : rows) {
    QuantPlan plan = PlanOfOneConv();
    plan.activations["c"].scale_type = ScaleType::kPowerOfTwo;
    const Status put = PutGivenScales(OneConv().model.graph, {{tensor, given}}, &plan);
    ASSERT_FALSE(put.ok()) << says;
    EXPECT_EQ(put.id(), tensor == std::string("z") ? ErrorId::kConflictingOptions : ErrorId::kBadConfig) << says;
    EXPECT_THAT(put.message(), HasSubstr(says));
  }
}

TEST(GivenScales, BitsBesideThoseOfTheOptionsAreASetting) {
  PlanOptions options;
  options.given_scales = {{"x", {.type = DataType::kInt16, .params = QuantParams{1, 0}}},
                          {"c", {.type = DataType::kInt8, .params = QuantParams{1, 0}}}};
  options = WithGivenTypes(OneConv().model.graph, std::move(options));
  EXPECT_EQ(options.settings.overrides.at("x").type, TensorType(DataType::kUInt16));
  EXPECT_FALSE(options.settings.overrides.contains("c"));
}

}  // namespace
}  // namespace preon
