// Branches of If on their way into the flat graph and back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <onnx/defs/printer.h>

#include "ir/test_protos.h"
#include "ir/text_format.h"

namespace preon {
namespace {

using ::testing::ElementsAre;

constexpr char kHeader[] = "<ir_version: 8, opset_import: [\"\": 17]>\n";

Model LoadGraphText(const std::string& graph) {
  Result<Model> model = ParseModelText(kHeader + graph);
  EXPECT_TRUE(model.ok()) << model.status().ToString();
  if (!model.ok()) return {};
  EXPECT_TRUE(model->graph.CheckIntegrity().ok()) << model->graph.CheckIntegrity().ToString();
  return *std::move(model);
}

// As text; branches are written in the order else, then.
void ExpectWritten(const Model& model, const std::string& graph) {
  EXPECT_TRUE(CheckModel(model).ok()) << CheckModel(model).ToString();
  EXPECT_EQ(*PrintModelText(model), onnx::ProtoToString(ProtoFromText(kHeader + graph)));
}

void ExpectComesBack(const std::string& graph) {
  const Model model = LoadGraphText(graph);
  ExpectWritten(model, graph);
  ExpectWritten(Model(model), graph);
}

TEST(FlattenIf, BranchesLieInTheGraph) {
  const std::string text = R"(g (float[2] x, bool c) => (float[2] y, float[2] z) <float[2] k = {1, 2}> {
    [outer] a = Relu (x)
    [if] y, z = If (c) <
      else_branch = no () => (float[2] e, float[2] f) { [e] e = Abs (a) [f] f = Neg (e) },
      then_branch = yes () => (float[2] t, float[2] u) { [p] p = Add (a, k) [t] t = Neg (p) [u] u = Neg (x) }>
  })";
  const Model model = LoadGraphText(text);
  const Node& node = *model.graph.FindNode("if");
  EXPECT_TRUE(node.IsFlatIf());
  EXPECT_FALSE(node.HasSubgraph());
  EXPECT_THAT(node.inputs(), ElementsAre("c", "t", "u", "e", "f"));
  EXPECT_THAT(node.Captures(), ElementsAre());
  EXPECT_EQ(model.graph.FindNode("p")->home->if_node, "if");
  EXPECT_EQ(model.graph.FindNode("f")->home->branch, 1u);
  EXPECT_EQ(model.graph.FindNode("outer")->home->if_node, "");
  EXPECT_EQ(*model.graph.ShapeOf("t"), Shape({2}));
  ExpectWritten(model, text);
}

TEST(FlattenIf, NestedBranchesComeBack) {
  ExpectComesBack(R"(g (float[2] x, bool c, bool d) => (float[2] y) {
    [if] y = If (c) <
      else_branch = no () => (float[2] e) { [e] e = Abs (x) },
      then_branch = yes () => (float[2] t) {
        [p] p = Relu (x)
        [not] n = Not (d)
        [deep] q = If (n) <
          else_branch = deep_no () => (float[2] s) { [s] s = Neg (p) },
          then_branch = deep_yes () => (float[2] r) { [o] o = Abs (p) [r] r = Exp (o) }>
        [t] t = Neg (q)
      }>
  })");
}

TEST(FlattenIf, NodesOutsideAndNodesThatNothingReadsStayWhereTheyAre) {
  ExpectComesBack(R"(g (float[2] x, bool c) => (float[2] y) {
    [only_then] a = Relu (x)
    [dead] b = Relu (a)
    [if] y = If (c) <
      else_branch = no () => (float[2] e) { [dead_inside] d = Exp (x) [e] e = Abs (x) },
      then_branch = yes () => (float[2] t) { [t] t = Neg (a) }>
    [dead_if] z = If (c) <
      else_branch = no2 () => (float[2] e2) { [e2] e2 = Abs (x) },
      then_branch = yes2 () => (float[2] t2) { [t2] t2 = Neg (y) }>
  })");
}

TEST(FlattenIf, OnlyNamesThatCollideChange) {
  const Model model = LoadGraphText(R"(g (float[2] x, bool c) => (float[2] y) {
    [if] y = If (c) <
      then_branch = yes () => (float[2] t) <float[2] k = {1, 2}> { [n] a = Add (x, k) [t] t = Neg (a) },
      else_branch = no () => (float[2] e) <float[2] k = {3, 4}> { [n] a = Mul (x, k) [e] e = Neg (a) }>
  })");
  EXPECT_EQ(model.graph.FindNode("n")->output(), "a");
  EXPECT_EQ(model.graph.Initializer("k")->floats()[0], 1);
  const Node* renamed = model.graph.Producer("a_1");
  ASSERT_NE(renamed, nullptr);
  EXPECT_THAT(renamed->origins, ElementsAre("n"));  // what the user calls it
  EXPECT_EQ(model.graph.FindNode("e")->input(0), "a_1");
  EXPECT_EQ(model.graph.Initializer(renamed->input(1))->floats()[0], 3);
}

TEST(FlattenIf, ANewNameIsFreshEverywhere) {
  // `a` of the second branch can be neither a_1 (the inner If has it) nor what the Loop hides.
  const Model model = LoadGraphText(R"(g (float[2] x, bool c, int64 n) => (float[2] y) {
    [if] y = If (c) <
      then_branch = yes () => (float[2] a) { [t] a = Neg (x) },
      else_branch = no () => (float[2] e) {
        [a] a = Abs (x)
        [inner] b = If (c) <
          then_branch = t2 () => (float[2] a_1) { [a1] a_1 = Exp (a) },
          else_branch = e2 () => (float[2] z) { [z] z = Relu (a) }>
        [loop] e = Loop (n, c, b) <body = l (int64 i, bool k, float[2] v) => (bool m, float[2] a_2) {
          m = Identity (k) a_2 = Add (v, a) }>
      }>
  })");
  const std::string& fresh = model.graph.FindNode("a")->output();
  EXPECT_EQ(fresh, "a_3");
  EXPECT_EQ(model.graph.FindNode("a1")->input(0), fresh);
  EXPECT_EQ(model.graph.FindNode("z")->input(0), fresh);
  EXPECT_THAT(model.graph.FindNode("loop")->Captures(), ElementsAre(fresh));
  EXPECT_TRUE(CheckModel(model).ok()) << CheckModel(model).ToString();
}

TEST(FlattenIf, WhatABranchDoesNotComputeIsPassedOn) {
  const Model model =
      LoadGraphText(R"(g (float[2] x, bool c) => (float[2] y, float[2] z) <float[2] k = {1, 2}, float[2] a> {
    [a] a = Relu (x)
    [if] y, z = If (c) <
      then_branch = yes () => (float[2] a, float[2] k) {},
      else_branch = no () => (float[2] e, float[2] e) { [e] e = Abs (x) }>
  })");
  EXPECT_THAT(model.graph.FindNode("if")->inputs(), ElementsAre("c", "a", "k", "e", "e"));
  ExpectWritten(model, R"(g (float[2] x, bool c) => (float[2] y, float[2] z) <float[2] k = {1, 2}, float[2] a> {
    [a] a = Relu (x)
    [if] y, z = If (c) <
      else_branch = no () => (float[2] e, float[2] e_else) { [e] e = Abs (x) e_else = Identity (e) },
      then_branch = yes () => (float[2] a_then, float[2] k_then) { a_then = Identity (a) k_then = Identity (k) }>
  })");
}

TEST(FlattenIf, NodesMadeLaterGoWhereTheyAreRead) {
  Model model = LoadGraphText(R"(g (float[2] x, bool c) => (float[2] y) {
    [if] y = If (c) <
      then_branch = yes () => (float[2] t) { [t] t = Neg (x) },
      else_branch = no () => (float[2] e) { [e] e = Abs (x) }>
  })");
  Graph& graph = model.graph;
  graph.AddNode("Relu", {"x"}, {"once"}, "once", "", graph.FindNode("t"));
  graph.SetInput(graph.FindNode("t"), 0, "once");
  graph.AddNode("Exp", {"t"}, {"side"}, "side");  // read by nothing: beside what it reads
  graph.AddNode("Exp", {"x"}, {"side2"}, "side2");
  const std::string text = R"(g (float[2] x, bool c) => (float[2] y) {
    [if] y = If (c) <
      else_branch = no () => (float[2] e) { [e] e = Abs (x) },
      then_branch = yes () => (float[2] t) { [once] once = Relu (x) [t] t = Neg (once) [side] side = Exp (t) }>
    [side2] side2 = Exp (x)
  })";
  ExpectWritten(model, text);

  graph.SetInput(graph.FindNode("e"), 0, "once");  // both branches: in front of them
  ASSERT_TRUE(graph.SortTopologically().ok());
  ExpectWritten(model, R"(g (float[2] x, bool c) => (float[2] y) {
    [once] once = Relu (x)
    [if] y = If (c) <
      else_branch = no () => (float[2] e) { [e] e = Abs (once) },
      then_branch = yes () => (float[2] t) { [t] t = Neg (once) [side] side = Exp (t) }>
    [side2] side2 = Exp (x)
  })");
}

TEST(FlattenIf, ANodeOfABranchThatIsReadOutsideComesOut) {
  Model model = LoadGraphText(R"(g (float[2] x, bool c) => (float[2] y, float[2] z) {
    [if] y = If (c) <
      then_branch = yes () => (float[2] t) { [p] p = Relu (x) [t] t = Neg (p) },
      else_branch = no () => (float[2] e) { [e] e = Abs (x) }>
    [z] z = Exp (x)
  })");
  model.graph.SetInput(model.graph.FindNode("z"), 0, "p");
  ExpectWritten(model, R"(g (float[2] x, bool c) => (float[2] y, float[2] z) {
    [p] p = Relu (x)
    [if] y = If (c) <
      else_branch = no () => (float[2] e) { [e] e = Abs (x) },
      then_branch = yes () => (float[2] t) { [t] t = Neg (p) }>
    [z] z = Exp (p)
  })");
}

// A node that nothing reads and whose operands are in both branches can only be outside, and they with it.
TEST(FlattenIf, AnObserverOfBothBranchesPullsTheirNodesOut) {
  Model model = LoadGraphText(R"(g (float[2] x, bool c) => (float[2] y) {
    [if] y = If (c) <
      then_branch = yes () => (float[2] t) { [t] t = Neg (x) },
      else_branch = no () => (float[2] e) { [e] e = Abs (x) }>
  })");
  model.graph.AddNode("Add", {"t", "e"}, {"sum"}, "sum");
  ExpectWritten(model, R"(g (float[2] x, bool c) => (float[2] y) <float[2] t, float[2] e> {
    [t] t = Neg (x)
    [e] e = Abs (x)
    [if] y = If (c) <
      else_branch = no () => (float[2] e_else) { e_else = Identity (e) },
      then_branch = yes () => (float[2] t_then) { t_then = Identity (t) }>
    [sum] sum = Add (t, e)
  })");
}

// What the branches of this model are is beyond the flat form: it stays as it is.
void ExpectOpaque(const onnx::ModelProto& proto) {
  const Result<Model> model = LoadProto(proto);
  ASSERT_TRUE(model.ok()) << model.status().ToString();
  EXPECT_TRUE(model->graph.Producer("y")->HasSubgraph());
  EXPECT_EQ(onnx::ProtoToString(ToProtoByBytes(*model)), onnx::ProtoToString(proto));
}

TEST(FlattenIf, OddBranchesStayWhole) {
  const onnx::ModelProto plain = ProtoFromText(std::string(kHeader) + R"(g (float[2] x, bool c) => (float[2] y) {
    y = If (c) <else_branch = no () => (float[2] e) { e = Abs (x) },
      then_branch = yes () => (float[2] t) { t = Neg (x) }>
  })");
  ASSERT_TRUE(LoadProto(plain)->graph.Producer("y")->IsFlatIf());
  const auto with_branch = [&](auto change) {
    onnx::ModelProto proto = plain;
    change(proto.mutable_graph()->mutable_node(0)->mutable_attribute(1)->mutable_g());
    ExpectOpaque(proto);
  };
  with_branch([](onnx::GraphProto* body) { body->add_input()->set_name("in"); });
  with_branch([](onnx::GraphProto* body) { body->add_output()->set_name("x"); });
  with_branch([](onnx::GraphProto* body) { body->add_sparse_initializer()->mutable_values()->set_name("s"); });
  with_branch([](onnx::GraphProto* body) { body->mutable_output(0)->mutable_type()->mutable_sequence_type(); });
  with_branch([](onnx::GraphProto* body) { body->add_quantization_annotation()->set_tensor_name("x"); });

  onnx::ModelProto without = plain;
  without.mutable_graph()->mutable_node(0)->mutable_attribute()->RemoveLast();
  EXPECT_FALSE(LoadProto(without)->graph.Producer("y")->IsFlatIf());
}

TEST(FlattenIf, ADoubleDefinitionInABranchIsAnError) {
  const Result<Model> model = ParseModelText(std::string(kHeader) + R"(g (float[2] x, bool c) => (float[2] y) {
    y = If (c) <then_branch = yes () => (float[2] t) { t = Neg (x) t = Abs (x) },
      else_branch = no () => (float[2] x) {}>
  })");
  EXPECT_EQ(model.status().id(), ErrorId::kModelInvalid);
}

TEST(FlattenIf, ShapesOfBranchesAreInferredWithConstantsFromOutside) {
  Model model = LoadGraphText(R"(g (float[2, 6] x, bool c) => (float[A, B] y) <int64[2] to = {3, 4}> {
    [if] y = If (c) <
      then_branch = yes () => (float[P, Q] t) { [r] r = Reshape (x, to) [t] t = Neg (r) },
      else_branch = no () => (float[R, S] e) { [e] e = Reshape (x, to) }>
  })");
  InferShapes(model);
  EXPECT_EQ(*model.graph.ShapeOf("r"), Shape({3, 4}));
  EXPECT_EQ(*model.graph.ShapeOf("e"), Shape({3, 4}));
}

}  // namespace
}  // namespace preon
