#include "eval/state_loop.h"

#include <gtest/gtest.h>

namespace preon {
namespace {

ValueInfo Float(Shape shape) {
  ValueInfo info;
  info.type = DataType::kFloat;
  info.shape = std::move(shape);
  return info;
}

Tensor Filled(Shape shape, float value) { return Tensor::FromFloats(std::move(shape), {&value, 1}); }

Graph Streaming() {
  Graph graph;
  graph.AddInput("frame", Float({1, 8}));
  graph.AddInput("cache", Float({2, 3}));
  graph.AddNode("Identity", {"frame"}, {"out"});
  graph.AddNode("Identity", {"cache"}, {"cache_out"});
  graph.AddOutput("out", Float({1, 8}));
  graph.AddOutput("cache_out", Float({kDynamicDim, 3}));
  return graph;
}

TEST(StateLoop, LinksOutputsBehindTheFirstToInputsLikeThem) {
  const std::vector<StateLink> links = FindStateLinks(Streaming());
  ASSERT_EQ(links.size(), 1u);
  EXPECT_EQ(links[0].input, "cache");
  EXPECT_EQ(links[0].output, "cache_out");
}

TEST(StateLoop, NothingToLinkWithOneInput) {
  Graph graph;
  graph.AddInput("x", Float({1, 8}));
  graph.AddNode("Identity", {"x"}, {"a"});
  graph.AddNode("Identity", {"x"}, {"b"});
  graph.AddOutput("a", Float({1, 8}));
  graph.AddOutput("b", Float({1, 8}));
  EXPECT_TRUE(FindStateLinks(graph).empty());
}

ValueInfo Named(Shape shape, std::vector<std::string> names) {
  ValueInfo info = Float(std::move(shape));
  info.dim_names = std::move(names);
  return info;
}

TEST(StateLoop, TheFirstInputIsNoState) {
  Graph graph;
  graph.AddInput("x", Float({kDynamicDim, 8}));
  graph.AddInput("gain", Float({kDynamicDim, 1}));
  graph.AddNode("Identity", {"gain"}, {"latent"});
  graph.AddNode("Identity", {"x"}, {"rebuilt"});
  graph.AddOutput("latent", Float({kDynamicDim, 1}));
  graph.AddOutput("rebuilt", Float({kDynamicDim, 8}));
  EXPECT_TRUE(FindStateLinks(graph).empty());
}

TEST(StateLoop, ExtentsOfOtherNamesDiffer) {
  for (const char* name : {"past", "total"}) {
    Graph graph;
    graph.AddInput("x", Named({kDynamicDim, 4}, {"length", ""}));
    graph.AddInput("past", Named({kDynamicDim, 8}, {"past", ""}));
    graph.AddNode("Identity", {"x"}, {"y"});
    graph.AddNode("Identity", {"past"}, {"present"});
    graph.AddOutput("y", Named({kDynamicDim, 4}, {"length", ""}));
    graph.AddOutput("present", Named({kDynamicDim, 8}, {name, ""}));
    EXPECT_EQ(FindStateLinks(graph).size(), std::string(name) == "past") << name;
  }
}

TEST(StateLoop, TheNextRunTakesWhatTheLastOneGave) {
  // Adds the frame to the cache.
  const ModelOutputs sum = [](const Batch& batch) -> Result<std::vector<NamedTensor>> {
    const float value = batch.feeds[0].tensor.floats()[0] + batch.feeds[1].tensor.floats()[0];
    return std::vector<NamedTensor>{{"cache_out", Filled({1}, value)}};
  };
  const auto batch = [](Shape shape, float cache) {
    Batch made;
    made.feeds = {{"frame", Filled({1}, 1)}, {"cache", Filled(std::move(shape), cache)}};
    return made;
  };
  const ModelOutputs loop = InClosedLoop({{"cache", "cache_out"}}, sum);
  EXPECT_EQ((*loop(batch({1}, 10)))[0].tensor.floats()[0], 11);
  EXPECT_EQ((*loop(batch({1}, 50)))[0].tensor.floats()[0], 12);
  // A state of another shape does not fit: the feed's own is taken.
  EXPECT_EQ((*loop(batch({1, 1}, 50)))[0].tensor.floats()[0], 51);
}

}  // namespace
}  // namespace preon
