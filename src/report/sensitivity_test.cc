#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "report/json.h"
#include "report/text_report.h"

namespace preon {
namespace {

using testing::HasSubstr;
using testing::Not;
using Json = nlohmann::json;

constexpr double kEqualOutputs = std::numeric_limits<double>::infinity();

SensitivityResult ExampleOfSensitivity() {
  SensitivityResult result{.model = "m.onnx", .target = "ort-cpu", .method = "minmse", .sqnr_db = 25};
  LayerSensitivity& layer = result.layers.emplace_back();
  layer.node = "conv";
  layer.op_type = "Conv";
  layer.own_db = 18;
  layer.inherited_db = 200;
  layer.float_gain_db = 20;
  layer.measured_gain_db = kEqualOutputs;
  result.fix = SensitivityFix{.nodes = {"conv"}, .predicted_gain_db = 20, .gain_db = kEqualOutputs, .cost = 0.156};
  result.fix->measured_cost = 0.677;
  return result;
}

TEST(Sensitivity, WhatEqualsFloatHasNoFigure) {
  const std::string text = ToText(ExampleOfSensitivity());
  EXPECT_THAT(text, HasSubstr("+20.00 dB (equal to float)"));
  EXPECT_THAT(text, HasSubstr("18.0 dB / equal  Conv 'conv'"));
  EXPECT_THAT(text, HasSubstr("measured equal to float (predicted +20.0 dB)"));
  const Json json = Json::parse(ToJson(ExampleOfSensitivity()));
  EXPECT_EQ(json["layers"][0]["measured_gain_db"], nullptr);
  EXPECT_EQ(json["layers"][0]["measured_equals"], true);
  EXPECT_EQ(json["fix"]["gain_db"], nullptr);
  EXPECT_EQ(json["fix"]["measured_equals"], true);
}

TEST(Sensitivity, TheMeasuredTimeComesFirst) {
  EXPECT_THAT(ToText(ExampleOfSensitivity()), HasSubstr("time measured +67.7 % (predicted +15.6 %)"));
}

TEST(Sensitivity, SaysWhichModelItIsOf) {
  SensitivityResult result = ExampleOfSensitivity();
  EXPECT_THAT(ToText(result), Not(HasSubstr("scope")));
  EXPECT_FALSE(Json::parse(ToJson(result)).contains("scope"));
  result.scope = "these layers are of another model";
  EXPECT_THAT(ToText(result), HasSubstr("  scope       these layers are of another model\n"));
  EXPECT_EQ(Json::parse(ToJson(result))["scope"], result.scope);
}

}  // namespace
}  // namespace preon
