#include "search/tail_copies.h"

#include <gtest/gtest.h>

#include "ir/test_graphs.h"

namespace preon {
namespace {

// Two convolutions, whose results are joined and go through an exponential.
struct TwoHeads {
  TwoHeads() {
    g.Conv("x", "a");
    g.Conv("x", "b");
    g.Op("Concat", {"a", "b"}, "both")->attributes["axis"] = int64_t{1};
    g.Op("Exp", {"both"}, "y");
    g.Output("y");
    for (const char* node : {"a_node", "b_node"}) plan.nodes.push_back({node, "Conv"});
  }
  test::GraphBuilder g{{1, 4, 8, 8}};
  QuantPlan plan;
};

TEST(TailCopies, EachTensorThatEntersTheTailHasOne) {
  TwoHeads heads;
  const Graph quantized = heads.g.model.graph;
  Graph& graph = heads.g.model.graph;
  const std::vector<TailCopy> copies = AddTailCopies(graph, heads.plan, quantized);
  ASSERT_EQ(copies.size(), 2u);
  EXPECT_EQ(copies[0].tensor, "a");
  EXPECT_EQ(copies[1].tensor, "b");
  EXPECT_TRUE(graph.IsInput(copies[0].input));
  EXPECT_TRUE(graph.IsOutput(copies[0].sums.at("y")));
  const Node* joined = graph.Uses(copies[0].input)[0].node;
  EXPECT_EQ(joined->op_type, "Concat");
  EXPECT_EQ(joined->input(1), "b") << "the others are those of the model";
  EXPECT_TRUE(graph.CheckIntegrity().ok());
}

TEST(TailCopies, NoneWhereOneTensorEntersTheTail) {
  test::GraphBuilder g({1, 4, 8, 8});
  g.Conv("x", "a");
  g.Op("Exp", {"a"}, "y");
  g.Output("y");
  QuantPlan plan;
  plan.nodes.push_back({"a_node", "Conv"});
  const Graph quantized = g.model.graph;
  EXPECT_TRUE(AddTailCopies(g.model.graph, plan, quantized).empty());
}

}  // namespace
}  // namespace preon
