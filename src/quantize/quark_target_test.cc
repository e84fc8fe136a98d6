#include <gtest/gtest.h>

#include "quantize/plan.h"
#include "quantize/test_graphs.h"

namespace preon {
namespace {

using testing::GraphBuilder;

Model ConvModel() {
  GraphBuilder b({1, 4, 8, 8});
  b.Conv("x", "c1");
  b.Op("Softmax", {"c1"}, "s1");
  b.Output("s1");
  return std::move(b.model);
}

TEST(QuarkTarget, SixteenBitsNeedOpset21) {
  const auto target = MakeQuarkTarget();
  EXPECT_EQ(target->RequiredOpset({}), 13);
  EXPECT_EQ(target->RequiredOpset({.per_channel = false}), 10);
  EXPECT_EQ(target->RequiredOpset({.activation = DataType::kInt16}), 21);
  EXPECT_EQ(target->RequiredOpset({.weight = DataType::kUInt16}), 21);
  PlanOptions options;
  options.overrides["x"].type = DataType::kUInt16;
  EXPECT_EQ(target->RequiredOpset(options), 21);
}

TEST(QuarkTarget, RefusesTypesItCannotWrite) {
  const auto target = MakeQuarkTarget();
  const Model model = ConvModel();
  for (const DataType type : {DataType::kInt4, DataType::kUInt4, DataType::kInt32}) {
    PlanOptions of_tensor;
    of_tensor.overrides["x"].type = type;
    const std::pair<PlanOptions, const char*> rows[] = {
        {{.activation = type}, "--activation"}, {{.weight = type}, "--weight"}, {of_tensor, "overrides: x"}};
    for (const auto& [options, where] : rows) {
      const Result<QuantPlan> plan = target->Plan(model, options);
      ASSERT_FALSE(plan.ok()) << where;
      EXPECT_EQ(plan.status().id(), ErrorId::kNotYetSupported);
      EXPECT_EQ(plan.status().message(),
                StrCat(where, ": type '", DataTypeName(type),
                       "' is not in this version for target quark; it has: int8, uint8, int16, uint16"));
    }
  }
  for (const DataType type : {DataType::kInt8, DataType::kUInt8, DataType::kInt16, DataType::kUInt16}) {
    EXPECT_TRUE(target->Plan(model, {.activation = type, .weight = type}).ok());
  }
}

TEST(QuarkTarget, OverridesReachWeightsAndFixedRanges) {
  PlanOptions options;
  options.overrides["c1_w"] = {.type = DataType::kUInt8, .params = QuantParams{0.5f, 255}};
  options.overrides["s1"].range = Range{0, 0.5f};
  const Result<QuantPlan> plan = MakeQuarkTarget()->Plan(ConvModel(), options);
  ASSERT_TRUE(plan.ok()) << plan.status().ToString();
  const WeightPlan& weight = plan->weights.at("c1_w");
  EXPECT_EQ(weight.format.type, DataType::kUInt8);
  EXPECT_EQ(weight.params, (QuantParams{0.5f, 255}));
  EXPECT_EQ(weight.axis, -1);
  EXPECT_EQ(plan->activations.at("s1").fixed, (Range{0, 0.5f}));
}

TEST(QuarkTarget, ZeroPointsOfOverridesAreCodesOfTheTensor) {
  PlanOptions options;
  options.overrides["c1_w"].params = QuantParams{0.5f, 500};
  const Result<QuantPlan> plan = MakeQuarkTarget()->Plan(ConvModel(), options);
  ASSERT_FALSE(plan.ok());
  EXPECT_EQ(plan.status().id(), ErrorId::kBadConfig);
  EXPECT_EQ(plan.status().message(), "overrides: c1_w: zero_point: got 500, wanted an integer from -128 to 127 (int8)");
}

}  // namespace
}  // namespace preon
