#include <gtest/gtest.h>

#include <map>
#include <set>

#include "ir/if_scopes.h"
#include "ir/text_format.h"
#include "quantize/qdq_passes/qdq_passes.h"

namespace preon {
namespace {

int ScopeOf(const IfScopes& scopes, const Graph& graph, const std::string& node) {
  return scopes.ScopeOf(*graph.FindNode(node));
}

void Place(Model& model) {
  std::vector<std::string> warnings;
  ASSERT_TRUE(RunQdqPasses(model, {}, {}, warnings).ok());
}

TEST(PairsInBranches, QStaysWithItsProducerAndEachBranchGetsItsDq) {
  Model model = *ParseModelText(R"(<ir_version: 8, opset_import: ["": 17]>
    g (float[2] x, bool c) => (float[2] y, float[2] z) <float s = {0.5}, uint8 o = {128}> {
      [conv] a = Neg (x)
      [q] b = QuantizeLinear (a, s, o)
      [dq] d = DequantizeLinear (b, s, o)
      [z] z = Exp (d)
      [if] y = If (c) <
        then_branch = yes () => (float[2] t) { [t] t = Relu (d) },
        else_branch = no () => (float[2] e) { [e] f = Abs (d) [e2] e = Add (f, d) }>
    })");
  Graph& graph = model.graph;
  for (const char* name : {"q", "dq"}) graph.FindNode(name)->home.reset();  // as a writer leaves them
  Place(model);
  ASSERT_TRUE(graph.CheckIntegrity().ok());

  const IfScopes scopes(graph);
  EXPECT_EQ(ScopeOf(scopes, graph, "q"), IfScopes::kOutside);
  std::set<std::string> seen;
  for (const char* reader : {"z", "t", "e"}) {
    const Node* dequantize = graph.Producer(graph.FindNode(reader)->input(0));
    EXPECT_EQ(dequantize->input(0), "b");
    EXPECT_EQ(scopes.ScopeOf(*dequantize), ScopeOf(scopes, graph, reader)) << reader;
    seen.insert(dequantize->name);
  }
  EXPECT_EQ(seen.size(), 3u);
  EXPECT_EQ(graph.FindNode("e2")->input(1), graph.FindNode("e")->input(0));  // one per branch, not per reader
}

TEST(PairsInBranches, NestedBranchesGetTheirOwn) {
  Model model = *ParseModelText(R"(<ir_version: 8, opset_import: ["": 17]>
    g (float[2] x, bool c, bool d) => (float[2] y) <float s = {0.5}, uint8 o = {128}> {
      [q] b = QuantizeLinear (x, s, o)
      [dq] dx = DequantizeLinear (b, s, o)
      [if] y = If (c) <
        then_branch = yes () => (float[2] t) { [t] t = Relu (dx) },
        else_branch = no () => (float[2] e) {
          [inner] i = If (d) <
            then_branch = yes2 () => (float[2] t2) { [t2] t2 = Neg (dx) },
            else_branch = no2 () => (float[2] e2) { [e2] e2 = Abs (dx) }>
          [e] e = Add (i, dx)
        }>
    })");
  Graph& graph = model.graph;
  for (const char* name : {"q", "dq"}) graph.FindNode(name)->home.reset();
  Place(model);
  const IfScopes scopes(graph);
  EXPECT_EQ(ScopeOf(scopes, graph, "q"), IfScopes::kOutside);
  std::set<std::string> seen;
  for (const auto& [reader, input] : std::map<std::string, size_t>{{"t", 0}, {"t2", 0}, {"e2", 0}, {"e", 1}}) {
    const Node* dequantize = graph.Producer(graph.FindNode(reader)->input(input));
    EXPECT_EQ(scopes.ScopeOf(*dequantize), ScopeOf(scopes, graph, reader)) << reader;
    seen.insert(dequantize->name);
  }
  EXPECT_EQ(seen.size(), 4u);
}

TEST(PairsInBranches, AGraphWithoutBranchesStaysAsItIs) {
  const Model model = *ParseModelText(R"(<ir_version: 8, opset_import: ["": 17]>
    g (float[2] x) => (float[2] y, float[2] z) <float s = {0.5}, uint8 o = {128}> {
      b = QuantizeLinear (x, s, o)
      d = DequantizeLinear (b, s, o)
      y = Relu (d)
      z = Abs (d)
    })");
  Model placed = model;
  Place(placed);
  EXPECT_EQ(*PrintModelText(placed), *PrintModelText(model));
}

}  // namespace
}  // namespace preon
