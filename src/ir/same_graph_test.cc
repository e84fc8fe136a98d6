#include "ir/same_graph.h"

#include <gtest/gtest.h>

namespace preon {
namespace {

Graph GemmGraph() {
  Graph graph;
  graph.AddInput("x", {.type = DataType::kFloat});
  graph.SetInitializer("w", Tensor::ScalarFloat(2));
  graph.SetAttribute(graph.AddNode("Gemm", {"x", "w"}, {"y"}), "alpha", 2.0f);
  graph.AddOutput("y", {.type = DataType::kFloat});
  return graph;
}

TEST(SameGraph, ACopyIsTheSameWhateverIsInferred) {
  const Graph graph = GemmGraph();
  Graph copy = graph;
  copy.SetInfo("y", {.type = DataType::kFloat, .shape = Shape{1}});
  EXPECT_TRUE(SameGraph(graph, copy));
}

TEST(SameGraph, EveryEditShows) {
  const Graph graph = GemmGraph();
  const std::vector<void (*)(Graph&)> edits = {
      [](Graph& g) { g.SetAttribute(g.Producer("y"), "alpha", 3.0f); },
      [](Graph& g) { g.SetAttribute(g.Producer("y"), "alpha", int64_t{2}); },
      [](Graph& g) { g.SetAttribute(g.Producer("y"), "beta", 2.0f); },
      [](Graph& g) { g.SetAttribute(g.Producer("y"), "value", Tensor::ScalarFloat(1)); },
      [](Graph& g) { g.SetInput(g.Producer("y"), 1, "x"); },
      [](Graph& g) { g.Producer("y")->op_type = "MatMul"; },
      [](Graph& g) { g.AddNode("Relu", {"y"}, {"z"}); },
      [](Graph& g) { g.SetInitializer("w", Tensor::ScalarFloat(3)); },
      [](Graph& g) { g.SetInitializer("v", Tensor::ScalarFloat(3)); },
  };
  for (size_t i = 0; i < edits.size(); ++i) {
    Graph changed = graph;
    edits[i](changed);
    EXPECT_FALSE(SameGraph(graph, changed)) << "edit " << i;
  }
}

}  // namespace
}  // namespace preon
