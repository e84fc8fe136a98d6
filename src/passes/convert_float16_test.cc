#include "passes/convert_float16.h"

#include <gtest/gtest.h>

#include "ir/model_io.h"
#include "ir/text_format.h"

namespace preon {
namespace {

Model Parsed(const std::string& text) {
  Result<Model> model = ParseModelText(text);
  EXPECT_TRUE(model.ok()) << model.status().ToString();
  if (!model.ok()) return {};
  InferShapes(*model);
  return *std::move(model);
}

std::string Text(Model model) {
  model.graph.ClearInferredInfo();
  return PrintModelText(model).value();
}

constexpr char kHeader[] = R"(<ir_version: 8, opset_import: ["" : 15, "local" : 1]>)";

TEST(ConvertFloat16, InputsAndOutputsToo) {
  Model model =
      Parsed(StrCat(kHeader, "g (float16[2] x) => (float16[2] y) <float16[2] w = {15360, 16384}> { y = Max(x, w) }"));
  EXPECT_EQ(*ConvertFloat16(model, Float16Border::kFloat32), Effect::kChanged);
  const Model wanted =
      Parsed(StrCat(kHeader, "g (float[2] x) => (float[2] y) <float[2] w = {1, 2}> { y = Max(x, w) }"));
  EXPECT_EQ(Text(model), Text(wanted));
  EXPECT_EQ(*ConvertFloat16(model, Float16Border::kFloat32), Effect::kUnchanged);
}

// After a conversion that keeps inputs and outputs, and of models that were made so.
TEST(ConvertFloat16, BordersAlone) {
  Model model = Parsed(StrCat(kHeader, R"(g (float16[2] x) => (float16[2] y) {
    a = Cast<to = 1>(x)
    b = Neg(a)
    y = Cast<to = 10>(b)
  })"));
  EXPECT_EQ(*ConvertFloat16(model, Float16Border::kKept), Effect::kUnchanged);
  EXPECT_EQ(*ConvertFloat16(model, Float16Border::kFloat32), Effect::kChanged);
  EXPECT_EQ(model.graph.TypeOf("x"), DataType::kFloat);
  EXPECT_EQ(model.graph.TypeOf("y"), DataType::kFloat);
  EXPECT_EQ(model.graph.Producer("y")->Int("to", 0), 1);
}

TEST(ConvertFloat16, WhatCanNotBeConvertedIsLeftAlone) {
  const std::string function = R"(g (float16[2] x) => (float16[2] y) { y = local.half(x) }
    <domain: "local", opset_import: ["" : 15]> half (a) => (c) { b = Cast<to = 1>(a) c = Cast<to = 10>(b) })";
  Model model = Parsed(kHeader + function);
  const std::string before = Text(model);
  const Result<Effect> effect = ConvertFloat16(model, Float16Border::kKept);
  ASSERT_EQ(effect.status().id(), ErrorId::kModelTypeUnsupported);
  EXPECT_NE(effect.status().message().find("function half"), std::string::npos) << effect.status().message();
  EXPECT_EQ(Text(model), before);
}

}  // namespace
}  // namespace preon
