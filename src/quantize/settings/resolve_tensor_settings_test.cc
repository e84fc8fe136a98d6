#include "quantize/settings/resolve_tensor_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/test_graphs.h"
#include "quantize/plan/quant_plan.h"
#include "quantize/settings/tensor_settings.h"

namespace preon {
namespace {

using test::GraphBuilder;
using ::testing::HasSubstr;

// x -> Conv c (weights c_w [4, 4, 1, 1], bias c_b) -> Conv d
GraphBuilder Two() {
  GraphBuilder b({1, 4, 8, 8});
  b.Conv("x", "c");
  b.Conv("c", "d");
  b.Output("d");
  return b;
}

Status Resolved(PlanOptions options) { return ResolveOverrides(Two().model.graph, &options); }

TEST(ResolveOverrides, EachRule) {
  const std::tuple<const char*, TensorOverride, ErrorId, const char*> rows[] = {
      {"c_ww", {}, ErrorId::kNameNotInModel, "no tensor 'c_ww'; did you mean 'c_w'?"},
      {"c", {.axis = 0}, ErrorId::kBadConfig, "c: axis: it is an activation"},
      {"c", {.block_size = 2}, ErrorId::kBadConfig, "block_size: it is an activation"},
      {"c", {.reduce_range = true}, ErrorId::kBadConfig, "reduce_range: it is an activation"},
      {"c_w", {.converts = {{.type = DataType::kInt16}}}, ErrorId::kBadConfig, "convert: it is a constant"},
      {"c", {.converts = {{.type = DataType::kUInt8}}}, ErrorId::kBadConfig, "which is the tensor's own"},
      {"c",
       {.converts = {{.type = DataType::kInt16, .nodes = {"d_nod"}}}},
       ErrorId::kNameNotInModel,
       "did you mean 'd_node'?; readers: d_node"},
      {"c",
       {.converts = {{.type = DataType::kInt16, .nodes = {"c_node"}}}},
       ErrorId::kNameNotInModel,
       "no node 'c_node' reads it"},
      {"c_w", {.axis = 4}, ErrorId::kBadConfig, "axis: got 4 for shape [4, 4, 1, 1], wanted -4 to 3"},
      {"c_w", {.axis = -5}, ErrorId::kBadConfig, "wanted -4 to 3"},
      {"c_w",
       {.axis = 1},
       ErrorId::kBadConfig,
       "axis: got 1, but node 'c_node' (Conv) takes scales along axis 0 alone; wanted 0 or no axis"},
      {"c_w",
       {.axis = 0, .channels = 3},
       ErrorId::kBadConfig,
       "got 3 entries for 4 channels along axis 0, wanted 1 or 4"},
      {"c_w", {.type = DataType::kBFloat16, .axis = 0}, ErrorId::kBadConfig, "bfloat16 has no scales per channel"},
      {"c_w",
       {.params = QuantParams{1, 200}},
       ErrorId::kBadConfig,
       "zero_point: got 200, wanted an integer from -128 to 127"},
      {"c_w", {.axis = 0, .channels = 1, .channel_params = {{1, 128}}}, ErrorId::kBadConfig, "zero_point: got 128"},
      {"c", {.type = DataType::kFloat8E4M3FN, .params = QuantParams{1, 1}}, ErrorId::kBadConfig, "wanted 0"},
      {"c", {.range = Range{0, 1}, .params = QuantParams{1, 0}}, ErrorId::kBadConfig, "wanted one or the other"},
  };
  for (const auto& [tensor, wanted, id, says] : rows) {
    const Status status = Resolved({.settings = {.overrides = {{tensor, wanted}}}});
    EXPECT_EQ(status.id(), id) << says << ": " << status.ToString();
    EXPECT_THAT(status.message(), HasSubstr(says));
    EXPECT_THAT(status.message(),
                HasSubstr(StrCat("overrides: ", tensor == std::string("c_ww") ? "the model" : tensor)));
  }
}

TEST(ResolveOverrides, AllAtOnce) {
  const Status status = Resolved(
      {.settings = {.overrides = {{"c", {.axis = 0, .reduce_range = true}}, {"c_w", {.axis = 7}}, {"nowhere", {}}}}});
  EXPECT_EQ(status.id(), ErrorId::kBadConfig);
  for (const char* says : {"c: axis", "c: reduce_range", "c_w: axis: got 7", "no tensor 'nowhere'"})
    EXPECT_THAT(status.message(), HasSubstr(says));
}

TEST(ResolveOverrides, TypesOfLayersCount) {
  PlanOptions options{.settings = {.overrides = {{"c", {.converts = {{.type = DataType::kUInt8}}}}}}};
  options.settings.layers.push_back({.output = TensorOverride{.type = DataType::kInt16}});
  EXPECT_TRUE(ResolveOverrides(Two().model.graph, &options).ok());
}

TEST(ResolveOverrides, AxesFromTheEndAndEntriesForAll) {
  PlanOptions options{.settings = {.overrides = {{"c_w", {.axis = -4, .channels = 1, .channel_ranges = {{-1, 2}}}}}}};
  ASSERT_TRUE(ResolveOverrides(Two().model.graph, &options).ok());
  EXPECT_EQ(options.settings.overrides.at("c_w").axis, 0);
  EXPECT_EQ(options.settings.overrides.at("c_w").channel_ranges, std::vector<Range>(4, Range{-1, 2}));
}

TEST(ResolveOverrides, TensorsOfOlderConfigurations) {
  const Status status = Resolved({.settings = {.base_overrides = {{"x", {}}, {"y", {}}}}});
  EXPECT_EQ(status.id(), ErrorId::kNameNotInModel);
  EXPECT_THAT(status.message(), HasSubstr("MixedPrecisionTensor: the model has no tensor 'y'"));
}

TEST(RangeBounds, OneBoundLeavesTheOther) {
  EXPECT_EQ(RangeBounds(std::nullopt, 6.0f).Over({-1, 9}), (Range{-1, 6}));
  EXPECT_EQ(RangeBounds(-2.0f, std::nullopt).Over({-1, 9}), (Range{-2, 9}));
  EXPECT_EQ(RangeBounds(std::nullopt, -5.0f).Over({-1, 9}), (Range{-1, 0}));  // ranges hold 0
  EXPECT_EQ(RangeBounds(Range{2, 3}).Over({-1, 9}), (Range{2, 3}));
  EXPECT_EQ(RangeBounds(std::nullopt, 6.0f).OverBounds(Range{-3, 3}), RangeBounds(Range{-3, 6}));
}

TEST(RangeBounds, OfAnActivationGoOverWhatItHas) {
  ActivationPlan observed;
  ApplyOverride({.range = {std::nullopt, 6.0f}}, observed);
  EXPECT_EQ(observed.source, RangeSource::kObserved);
  EXPECT_EQ(observed.bounds, RangeBounds(std::nullopt, 6.0f));
  ActivationPlan softmax{.source = RangeSource::kFixed, .fixed = {0, 1}};
  ApplyOverride({.range = {std::nullopt, 0.5f}}, softmax);
  EXPECT_EQ(softmax.fixed, (Range{0, 0.5f}));
}

}  // namespace
}  // namespace preon
