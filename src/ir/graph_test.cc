#include "ir/graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace preon {
namespace {

using ::testing::ElementsAre;

ValueInfo FloatInfo(Shape shape) {
  return {.type = DataType::kFloat, .shape = shape, .dim_names = std::vector<std::string>(shape.size())};
}

// x -> Relu -> a; a + w -> Add -> y
Graph SmallGraph() {
  Graph graph;
  graph.AddInput("x", FloatInfo({1, 2}));
  graph.SetInitializer("w", Tensor::FromFloats({2}, std::vector<float>{1, 2}));
  graph.AddNode("Relu", {"x"}, {"a"}, "relu");
  graph.AddNode("Add", {"a", "w"}, {"y"}, "add");
  graph.AddOutput("y", FloatInfo({1, 2}));
  return graph;
}

std::vector<std::string> Names(const Graph& graph) {
  std::vector<std::string> names;
  for (const auto& node : graph.nodes()) names.push_back(node->name);
  return names;
}

void ExpectIntact(const Graph& graph) {
  const Status status = graph.CheckIntegrity();
  EXPECT_TRUE(status.ok()) << status.ToString();
}

TEST(Graph, AnswersWhoWritesAndReads) {
  const Graph graph = SmallGraph();
  ExpectIntact(graph);
  EXPECT_EQ(graph.Producer("a"), graph.FindNode("relu"));
  EXPECT_EQ(graph.Producer("x"), nullptr);
  EXPECT_EQ(graph.Producer("w"), nullptr);
  ASSERT_EQ(graph.Uses("w").size(), 1u);
  EXPECT_EQ(graph.Uses("w")[0].node, graph.FindNode("add"));
  EXPECT_EQ(graph.Uses("w")[0].input, 1u);
  EXPECT_EQ(graph.UseCount("y"), 1u);  // the graph output
  EXPECT_EQ(graph.UseCount("a"), 1u);
  EXPECT_TRUE(graph.HasTensor("a"));
  EXPECT_FALSE(graph.HasTensor("b"));
  EXPECT_EQ(graph.TypeOf("w"), DataType::kFloat);
  EXPECT_EQ(graph.ShapeOf("w"), Shape{2});
  EXPECT_EQ(graph.ShapeOf("a"), std::nullopt);
}

TEST(Graph, ANodeThatReadsATensorTwiceHasTwoUses) {
  Graph graph = SmallGraph();
  graph.SetInput(graph.FindNode("add"), 1, "a");
  EXPECT_EQ(graph.UseCount("a"), 2u);
  ASSERT_EQ(graph.Uses("a").size(), 2u);
  EXPECT_EQ(graph.Uses("a")[0].input, 0u);
  EXPECT_EQ(graph.Uses("a")[1].input, 1u);
  EXPECT_EQ(graph.UseCount("w"), 0u);
  EXPECT_EQ(graph.RemoveUnusedInitializers(), 1u);
  EXPECT_FALSE(graph.HasTensor("w"));
  EXPECT_EQ(graph.Info("w"), nullptr);
  ExpectIntact(graph);
}

TEST(Graph, UsesComeInGraphOrderWhateverTheOrderOfEdits) {
  Graph graph = SmallGraph();
  Node* add = graph.FindNode("add");
  for (int count = 0; count < 100; ++count) {  // more than the gaps between two neighbours hold
    add = graph.AddNode("Relu", {"a"}, {StrCat("r", count)}, StrCat("n", count), "", add);
  }
  const std::vector<Use> uses = graph.Uses("a");
  ASSERT_EQ(uses.size(), 101u);
  EXPECT_EQ(uses.front().node->name, "n99");
  EXPECT_EQ(uses[99].node->name, "n0");
  EXPECT_EQ(uses.back().node->name, "add");
  ExpectIntact(graph);
}

TEST(Graph, TakenAndEmptyNodeNamesBecomeUnique) {
  Graph graph = SmallGraph();
  EXPECT_EQ(graph.AddNode("Relu", {"a"}, {"b"}, "relu")->name, "relu_1");
  EXPECT_EQ(graph.AddNode("Relu", {"a"}, {"c"}, "relu")->name, "relu_2");
  EXPECT_EQ(graph.AddNode("Relu", {"a"}, {"d"})->name, "Relu");
  EXPECT_EQ(graph.UniqueTensorName("a"), "a_1");
  EXPECT_EQ(graph.UniqueTensorName("free"), "free");
  EXPECT_FALSE(graph.UniqueTensorName("").empty());
}

TEST(Graph, ReplaceUsesLeavesGraphOutputs) {
  Graph graph = SmallGraph();
  graph.AddNode("Relu", {"y"}, {"z"}, "tail");
  graph.ReplaceUses("y", "a");
  EXPECT_EQ(graph.FindNode("tail")->input(0), "a");
  EXPECT_TRUE(graph.IsOutput("y"));
  EXPECT_EQ(graph.UseCount("y"), 1u);
  ExpectIntact(graph);
}

TEST(Graph, RenameOutputMakesRoomBehindAProducer) {
  Graph graph = SmallGraph();
  graph.RenameOutput("y", "y_float");
  EXPECT_EQ(graph.CheckIntegrity().id(), ErrorId::kModelInvalid);  // nothing writes the graph output now
  graph.AddNode("Relu", {"y_float"}, {"y"}, "behind");
  ExpectIntact(graph);
  EXPECT_EQ(graph.FindNode("add")->output(), "y_float");
  EXPECT_EQ(graph.ShapeOf("y_float"), (Shape{1, 2}));
}

TEST(Graph, ANodeCanTakeOverAnOutputAndTheOldOneGo) {
  Graph graph = SmallGraph();
  Node* old = graph.FindNode("relu");
  Node* fresh = graph.AddNode("LeakyRelu", {"x"}, {"a"}, "leaky", "", old);
  EXPECT_EQ(graph.Producer("a"), fresh);
  graph.SetInputs(old, {"x"});  // an edit of the loser does not win the tensor back
  EXPECT_EQ(graph.Producer("a"), fresh);
  graph.RemoveNode(old);
  EXPECT_EQ(graph.Producer("a"), fresh);
  EXPECT_THAT(Names(graph), ElementsAre("leaky", "add"));
  ExpectIntact(graph);
}

TEST(Graph, RemovingANodeInUseIsABug) {
  Graph graph = SmallGraph();
  EXPECT_THROW(graph.RemoveNode(graph.FindNode("relu")), InternalError);
  EXPECT_THROW(graph.RemoveNode(graph.FindNode("add")), InternalError);
}

TEST(Graph, RemovedNodesLeaveNoTrace) {
  Graph graph = SmallGraph();
  graph.AddNode("Relu", {"a"}, {"dead"}, "dead_end");
  graph.SetInfo("dead", FloatInfo({3}));
  graph.RemoveNode(graph.FindNode("dead_end"));
  EXPECT_EQ(graph.FindNode("dead_end"), nullptr);
  EXPECT_FALSE(graph.HasTensor("dead"));
  EXPECT_EQ(graph.Info("dead"), nullptr);
  EXPECT_EQ(graph.UseCount("a"), 1u);
  ExpectIntact(graph);
}

TEST(Graph, OptionalInputsMayBeLeftOutAndAdded) {
  Graph graph = SmallGraph();
  Node* add = graph.FindNode("add");
  graph.SetInput(add, 3, "x");
  EXPECT_EQ(add->inputs().size(), 4u);
  EXPECT_EQ(add->input(2), "");
  EXPECT_EQ(add->input(9), "");
  graph.SetInput(add, 3, "");
  EXPECT_EQ(graph.UseCount("x"), 1u);
  EXPECT_TRUE(graph.Uses("").empty());
  ExpectIntact(graph);
}

TEST(Graph, WhatASubgraphReadsCountsAsAUseAndStays) {
  Graph graph = SmallGraph();
  Node* branch = graph.AddNode("If", {"x"}, {"z"}, "if");
  graph.SetAttribute(branch, "then_branch", OpaqueAttribute{"…", {"a"}, true});
  graph.SetAttribute(branch, "else_branch", OpaqueAttribute{"…", {"a", "w"}, true});
  EXPECT_TRUE(branch->HasSubgraph());
  EXPECT_THAT(branch->Captures(), ElementsAre("a", "w"));
  EXPECT_EQ(graph.UseCount("a"), 2u);
  EXPECT_TRUE(graph.HasCapturedUse("a"));
  EXPECT_FALSE(graph.HasCapturedUse("x"));
  graph.ReplaceUses("a", "x");
  EXPECT_EQ(graph.FindNode("add")->input(0), "x");
  EXPECT_TRUE(graph.HasCapturedUse("a"));
  ExpectIntact(graph);
  graph.RemoveNode(branch);
  EXPECT_EQ(graph.UseCount("a"), 0u);
}

TEST(Graph, AnAttributeWithCapturesSetBehindTheGraphsBackIsFound) {
  Graph graph = SmallGraph();
  graph.FindNode("add")->attributes["body"] = OpaqueAttribute{"…", {"x"}, true};
  EXPECT_EQ(graph.CheckIntegrity().id(), ErrorId::kInternal);
}

TEST(Graph, ACopyIsDeepInNodesAndSharesBytes) {
  const Graph graph = SmallGraph();
  Graph copy = graph;
  EXPECT_NE(copy.FindNode("relu"), graph.FindNode("relu"));
  EXPECT_EQ(copy.Producer("a"), copy.FindNode("relu"));
  EXPECT_EQ(copy.Uses("a")[0].node, copy.FindNode("add"));
  EXPECT_EQ(copy.Initializer("w")->bytes().data(), graph.Initializer("w")->bytes().data());
  copy.SetInput(copy.FindNode("add"), 0, "x");
  EXPECT_EQ(graph.FindNode("add")->input(0), "a");
  ExpectIntact(graph);
  ExpectIntact(copy);

  Graph assigned;
  assigned.AddInput("other", {});
  assigned = graph;
  EXPECT_THAT(assigned.inputs(), ElementsAre("x"));
  const Node* before = assigned.FindNode("add");
  const Graph moved = std::move(assigned);
  EXPECT_EQ(moved.FindNode("add"), before);  // pointers survive a move
  ExpectIntact(moved);
}

TEST(Graph, SortIsStableAndPutsWritersFirst) {
  Graph graph;
  graph.AddInput("x", {});
  graph.AddNode("Relu", {"c"}, {"d"}, "late");
  graph.AddNode("Relu", {"x"}, {"b"}, "free");
  graph.AddNode("Relu", {"x"}, {"c"}, "early");
  graph.AddOutput("d", {});
  EXPECT_EQ(graph.CheckIntegrity().id(), ErrorId::kModelInvalid);
  ASSERT_TRUE(graph.SortTopologically().ok());
  EXPECT_THAT(Names(graph), ElementsAre("free", "early", "late"));
  ExpectIntact(graph);
  ASSERT_TRUE(graph.SortTopologically().ok());
  EXPECT_THAT(Names(graph), ElementsAre("free", "early", "late"));
}

TEST(Graph, SortWaitsForWhatASubgraphReads) {
  Graph graph;
  graph.AddInput("x", {});
  Node* loop = graph.AddNode("Loop", {"x"}, {"y"}, "loop");
  graph.SetAttribute(loop, "body", OpaqueAttribute{"…", {"outer"}, true});
  graph.AddNode("Relu", {"x"}, {"outer"}, "relu");
  ASSERT_TRUE(graph.SortTopologically().ok());
  EXPECT_THAT(Names(graph), ElementsAre("relu", "loop"));
}

TEST(Graph, CyclesAndUndefinedInputsAreNamed) {
  Graph cycle;
  cycle.AddInput("x", {});
  cycle.AddNode("Relu", {"x"}, {"a"}, "fine");
  cycle.AddNode("Add", {"a", "c"}, {"b"}, "one");
  cycle.AddNode("Relu", {"b"}, {"c"}, "two");
  Status status = cycle.SortTopologically();
  EXPECT_EQ(status.id(), ErrorId::kModelInvalid);
  EXPECT_THAT(status.message(), ::testing::HasSubstr("node one"));
  EXPECT_THAT(Names(cycle), ElementsAre("fine", "one", "two"));

  Graph undefined;
  undefined.AddNode("Relu", {"ghost"}, {"a"}, "reader");
  status = undefined.SortTopologically();
  EXPECT_EQ(status.id(), ErrorId::kModelInvalid);
  EXPECT_EQ(status.message(), "node reader reads tensor 'ghost' that nothing writes");
}

TEST(Graph, OpaqueConstantsAreDefinedWithoutATensor) {
  Graph graph = SmallGraph();
  graph.opaque_constants.insert("sparse");
  graph.SetInput(graph.FindNode("add"), 1, "sparse");
  ExpectIntact(graph);
  EXPECT_TRUE(graph.SortTopologically().ok());
  EXPECT_EQ(graph.Initializer("sparse"), nullptr);
  EXPECT_EQ(graph.UniqueTensorName("sparse"), "sparse_1");
}

TEST(Graph, InferredFactsCanBeDropped) {
  Graph graph = SmallGraph();
  graph.SetInfo("a", FloatInfo({1, 2}));
  graph.ClearInferredInfo();
  EXPECT_EQ(graph.Info("a"), nullptr);
  EXPECT_NE(graph.Info("x"), nullptr);
  EXPECT_NE(graph.Info("y"), nullptr);
  EXPECT_NE(graph.Info("w"), nullptr);
}

TEST(Graph, AnInitializersFactsFollowItsValue) {
  Graph graph = SmallGraph();
  graph.SetInitializer("w", Tensor::FromInt64s({1, 2}, std::vector<int64_t>{1, 2}));
  EXPECT_EQ(graph.TypeOf("w"), DataType::kInt64);
  EXPECT_EQ(graph.ShapeOf("w"), (Shape{1, 2}));
  EXPECT_EQ(graph.Info("w")->dim_names.size(), 2u);
}

TEST(Node, AttributesAnswerWithFallbacksForAbsentAndOtherTypes) {
  Node node;
  node.attributes["axis"] = int64_t{3};
  node.attributes["alpha"] = 0.5f;
  node.attributes["mode"] = std::string("linear");
  node.attributes["pads"] = std::vector<int64_t>{1, 2};
  EXPECT_EQ(node.Int("axis", 0), 3);
  EXPECT_EQ(node.Int("alpha", 7), 7);
  EXPECT_EQ(node.Float("alpha", 0), 0.5f);
  EXPECT_EQ(node.String("mode", "nearest"), "linear");
  EXPECT_EQ(node.String("none", "nearest"), "nearest");
  EXPECT_THAT(node.Ints("pads"), ElementsAre(1, 2));
  EXPECT_TRUE(node.Ints("axes").empty());
  EXPECT_TRUE(node.Has("axis"));
  EXPECT_FALSE(node.Has("axes"));
}

}  // namespace
}  // namespace preon
