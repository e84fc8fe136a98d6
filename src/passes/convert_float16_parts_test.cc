#include "passes/convert_float16_parts.h"

#include <gmock/gmock.h>

#include "ir/model_io.h"
#include "ir/text_format.h"

namespace preon {
namespace {

using ::testing::HasSubstr;

constexpr char kOpset[] = R"(<ir_version: 8, opset_import: ["" : 15]>)";

Model ModelOf(const std::string& graph) {
  Result<Model> model = ParseModelText(StrCat(kOpset, graph));
  EXPECT_TRUE(model.ok()) << model.status().ToString();
  if (!model.ok()) return {};
  InferShapes(*model);
  return *std::move(model);
}

std::string TextOf(Model model) {
  model.graph.ClearInferredInfo();
  return PrintModelText(model).value();
}

Result<Effect> Convert(Model& model, const std::vector<Float16Part>& parts) {
  std::vector<std::string> warnings;
  Result<Effect> effect = ConvertFloat16Parts(model, parts, warnings);
  EXPECT_EQ(warnings.size(), effect.ok() && *effect == Effect::kUnchanged ? 1 : 0);
  return effect;
}

// x -> a -> b -> c -> y, of which b and c read the same constant.
constexpr char kChain[] = R"(g (float16[2] x) => (float16[2] y) <float16[2] w = {15360, 16384}> {
  [a] a = Neg (x)
  [b] b = Max (a, w)
  [c] c = Min (b, w)
  [y] y = Neg (c)
})";

TEST(ConvertFloat16Parts, CastsAtTheBordersAlone) {
  Model model = ModelOf(kChain);
  EXPECT_EQ(*Convert(model, {{{"b"}, {"c"}}}), Effect::kChanged);
  const Model wanted = ModelOf(R"(g (float16[2] x) => (float16[2] y) <float[2] w = {1, 2}> {
    [a] a = Neg (x)
    [_subgraph_entry_cast_0] a_subgraph_entry_cast = Cast <to = 1> (a)
    [b] b = Max (a_subgraph_entry_cast, w)
    [c] c_subgraph_exit_fp32 = Min (b, w)
    [_subgraph_exit_cast_1] c = Cast <to = 10> (c_subgraph_exit_fp32)
    [y] y = Neg (c)
  })");
  EXPECT_EQ(TextOf(model), TextOf(wanted));
  EXPECT_EQ(model.graph.TypeOf("b"), DataType::kFloat);
  EXPECT_EQ(model.graph.ShapeOf("c_subgraph_exit_fp32"), Shape{2});
  EXPECT_EQ(*Convert(model, {{{"b"}, {"c"}}}), Effect::kUnchanged);
}

TEST(ConvertFloat16Parts, APartWithoutNodesIsAnError) {
  Model model = ModelOf(kChain);
  EXPECT_THAT(Convert(model, {{{"c"}, {"b"}}}).status().message(), HasSubstr("no node lies between c and b"));
}

TEST(ConvertFloat16Parts, ANodeOfUnknownTypeIsNamed) {
  Model model = ModelOf(R"(g (float16[2] x) => (float16[2] y) {
    [a] a = own.domain.Own (x)
    [y] y = Neg (a)
  })");
  EXPECT_THAT(Convert(model, {{{"a"}, {"a"}}}).status().message(), HasSubstr("node a (Own) writes 'a', whose type"));
}

TEST(ConvertFloat16Parts, AConstantThatIsReadOutsideStays) {
  Model model = ModelOf(kChain);
  EXPECT_EQ(*Convert(model, {{{"c"}, {"c"}}}), Effect::kChanged);
  EXPECT_EQ(model.graph.TypeOf("w"), DataType::kFloat16);
  EXPECT_EQ(model.graph.FindNode("c")->inputs(),
            (std::vector<std::string>{"b_subgraph_entry_cast", "w_subgraph_fp32"}));
  EXPECT_EQ(model.graph.FindNode("b")->input(1), "w");
}

TEST(ConvertFloat16Parts, NoStartsOrEndsAreNoBounds) {
  for (const auto& [part, first, last] :
       {std::tuple(Float16Part{{}, {"b"}}, "x", "b"), std::tuple(Float16Part{{"c"}, {}}, "b", "y"),
        std::tuple(Float16Part{}, "x", "y")}) {
    Model model = ModelOf(kChain);
    EXPECT_EQ(*Convert(model, {part}), Effect::kChanged);
    std::vector<std::string> cast;
    for (const auto& node : model.graph.nodes())
      if (node->Is("Cast")) cast.push_back(node->name.starts_with("_subgraph_entry") ? node->input(0) : node->output());
    EXPECT_EQ(cast, (std::vector<std::string>{first, last}));
  }
}

// Only what lies on a way from a start to an end; two parts are one where they meet.
TEST(ConvertFloat16Parts, BranchesBesideThePart) {
  Model model = ModelOf(R"(g (float16[2] x) => (float16[2] y, float16[2] s) {
    [a] a = Neg (x)
    [b] b = Abs (a)
    [s] s = Exp (a)
    [c] c = Sqrt (b)
    [y] y = Add (c, a)
  })");
  EXPECT_EQ(*Convert(model, {{{"a"}, {"b"}}, {{"c"}, {"y"}}}), Effect::kChanged);
  const Graph& graph = model.graph;
  EXPECT_EQ(graph.FindNode("b")->input(0), "a_subgraph_exit_fp32");
  EXPECT_EQ(graph.FindNode("y")->input(1), "a_subgraph_exit_fp32");
  EXPECT_EQ(graph.FindNode("s")->input(0), "a");
  EXPECT_EQ(graph.TypeOf("s"), DataType::kFloat16);
  EXPECT_EQ(graph.TypeOf("y"), DataType::kFloat16);
  EXPECT_TRUE(CheckModel(model).ok());
}

TEST(ConvertFloat16Parts, AttributesThatNameOrHoldTheType) {
  Model model = ModelOf(R"(g (int32[2] x) => (float16[2] y) {
    [a] a = Cast <to = 10> (x)
    [k] k = Constant <value = float16[2] {15360, 16384}> ()
    [b] b = Add (a, k)
    [y] y = Neg (b)
  })");
  EXPECT_EQ(*Convert(model, {{{"a", "k"}, {"b"}}}), Effect::kChanged);
  EXPECT_EQ(model.graph.FindNode("a")->Int("to", 0), static_cast<int64_t>(DataType::kFloat));
  EXPECT_EQ(std::get<Tensor>(model.graph.FindNode("k")->attributes.at("value")).floats()[1], 2);
  EXPECT_EQ(model.graph.FindNode("y")->input(0), "b");
  EXPECT_TRUE(CheckModel(model).ok());
}

TEST(ConvertFloat16Parts, WhatCanNotBeConvertedIsLeftAlone) {
  Model model = ModelOf(R"(g (float16[2] x, bool on) => (float16[2] y) {
    [first] a = Neg (x)
    [choice] y = If (on) <then_branch = t () => (float16[2] p) { p = Neg (a) },
                          else_branch = e () => (float16[2] q) { q = Abs (a) }>
  })");
  const std::string before = TextOf(model);
  const Status unknown = Convert(model, {{{"frist"}, {}}}).status();
  EXPECT_EQ(unknown.id(), ErrorId::kNameNotInModel);
  EXPECT_THAT(unknown.message(), HasSubstr("did you mean 'first'"));
  EXPECT_EQ(Convert(model, {{{"first"}, {}}}).status().id(), ErrorId::kModelTypeUnsupported);
  EXPECT_EQ(TextOf(model), before);
  EXPECT_EQ(*Convert(model, {{{"first"}, {"first"}}}), Effect::kChanged);  // what the branches read is float16 again
  EXPECT_EQ(model.graph.TypeOf("a"), DataType::kFloat16);
  EXPECT_TRUE(CheckModel(model).ok());
}

}  // namespace
}  // namespace preon
