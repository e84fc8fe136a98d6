// PassEnv::settings_of: what the user set for one node alone is neither merged nor shared.
#include <gtest/gtest.h>

#include "passes/passes.h"

namespace preon {
namespace {

// Twins a, b of equal weights v, w; c reads w too.
Model Twins() {
  Model model;
  model.opsets[""] = 17;
  const ValueInfo info{DataType::kFloat, Shape{2, 2}};
  model.graph.AddInput("x", info);
  for (const char* weight : {"v", "w"})
    model.graph.SetInitializer(weight, Tensor::FromFloats({2, 2}, std::vector<float>{1, 2, 3, 4}));
  model.graph.AddNode("MatMul", {"x", "v"}, {"p"}, "a");
  model.graph.AddNode("MatMul", {"x", "w"}, {"q"}, "b");
  model.graph.AddNode("MatMul", {"p", "w"}, {"r"}, "c");
  for (const char* output : {"q", "r"}) {
    model.graph.SetInfo(output, info);
    model.graph.AddOutput(output, info);
  }
  model.graph.SetInfo("p", info);
  return model;
}

PassEnv Apart(const std::string& node) {
  return {.settings_of = [node](const Node& one, std::string_view) { return one.name == node ? "apart" : ""; }};
}

size_t Nodes(const PassEnv& env) {
  Model model = Twins();
  EXPECT_TRUE(MakeDeduplicatePass()->Apply(model, env).ok());
  return model.graph.nodes().size();
}

TEST(SetApart, EqualNodes) {
  EXPECT_EQ(Nodes({}), 2u);
  EXPECT_EQ(Nodes(Apart("a")), 3u);
  EXPECT_EQ(Nodes(Apart("c")), 3u);  // the reader of one of both
}

TEST(SetApart, EqualInitializers) {
  Model model = Twins();
  EXPECT_TRUE(MakeDeduplicatePass()->Apply(model, Apart("a")).ok());
  EXPECT_EQ(model.graph.initializers().size(), 2u);
}

TEST(SetApart, ASharedInitializer) {
  Model together = Twins(), apart = Twins();
  EXPECT_EQ(*MakeSplitSharedInitializersPass()->Apply(together, {}), Effect::kUnchanged);
  EXPECT_EQ(*MakeSplitSharedInitializersPass()->Apply(apart, Apart("c")), Effect::kChanged);
  EXPECT_EQ(apart.graph.FindNode("b")->input(1), "w");
  EXPECT_NE(apart.graph.FindNode("c")->input(1), "w");
}

}  // namespace
}  // namespace preon
