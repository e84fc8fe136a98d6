#include "quantize/settings/resolve_selectors.h"

#include <gtest/gtest.h>

#include "ir/graph.h"

namespace preon {
namespace {

// in -> a -> b -> d -> out, a -> c -> d, side -> d.
Graph Diamond() {
  Graph graph;
  const ValueInfo info{DataType::kFloat, Shape{2}};
  graph.AddInput("in", info);
  graph.AddInput("side", info);
  graph.AddNode("Relu", {"in"}, {"ta"}, "a");
  graph.AddNode("Relu", {"ta"}, {"tb"}, "b");
  graph.AddNode("Sigmoid", {"ta"}, {"tc"}, "c");
  graph.AddNode("Sum", {"tb", "tc", "side"}, {"out"}, "d");
  graph.AddOutput("out", info);
  return graph;
}

using Names = std::set<std::string>;

Result<Names> ResolvedNames(const NodeSelectors& selectors) {
  PlanOptions options;
  options.settings.layers.emplace_back().selectors = selectors;
  PREON_RETURN_IF_ERROR(ResolveSelectors(Diamond(), &options));
  return options.settings.layers[0].selectors.nodes;
}

TEST(Selectors, NamesGlobsAndPatterns) {
  EXPECT_EQ(*ResolvedNames({.patterns = {"b"}}), Names{"b"});
  EXPECT_EQ(*ResolvedNames({.patterns = {"?", "a"}}), (Names{"a", "b", "c", "d"}));
  EXPECT_EQ(*ResolvedNames({.patterns = {"^[bc]$"}}), (Names{"b", "c"}));
}

TEST(Selectors, SubGraphsAreWhatLiesOnPaths) {
  EXPECT_EQ(*ResolvedNames({.sub_graphs = {{{"a"}, {"b", "c"}}}}), (Names{"a", "b", "c"}));
  EXPECT_EQ(*ResolvedNames({.sub_graphs = {{{"a"}, {"a"}}}}), Names{"a"});
}

TEST(Selectors, WhatIsWrongIsTold) {
  const auto problem = [](const NodeSelectors& selectors) { return ResolvedNames(selectors).status(); };
  EXPECT_EQ(problem({.patterns = {"x"}}).id(), ErrorId::kNameNotInModel);
  EXPECT_EQ(problem({.patterns = {"^x.*"}}).id(), ErrorId::kNameNotInModel);
  EXPECT_EQ(problem({.patterns = {"^("}}).id(), ErrorId::kBadConfig);
  EXPECT_EQ(problem({.sub_graphs = {{{"a"}, {"e"}}}}).id(), ErrorId::kNameNotInModel);
  EXPECT_EQ(problem({.sub_graphs = {{{}, {"b"}}}}).id(), ErrorId::kBadConfig);
  const Status open = problem({.sub_graphs = {{{"a"}, {"d"}}}});  // d also reads a graph input
  EXPECT_EQ(open.id(), ErrorId::kBadConfig);
  EXPECT_NE(open.message().find("'side'"), std::string::npos) << open.message();
}

TEST(Selectors, FirstAndLastNodes) {
  const auto outside = [](std::vector<std::string> first, std::vector<std::string> last) {
    PlanOptions options;
    options.exclude.first_nodes = std::move(first);
    options.exclude.last_nodes = std::move(last);
    EXPECT_TRUE(ResolveSelectors(Diamond(), &options).ok());
    return options.exclude.paths.nodes;
  };
  EXPECT_EQ(outside({"b"}, {}), (Names{"a", "c"}));
  EXPECT_EQ(outside({}, {"b", "c"}), Names{"d"});
  EXPECT_EQ(outside({"in"}, {"out"}), Names{});
  PlanOptions unknown;
  unknown.exclude.first_nodes = {"z"};
  EXPECT_EQ(ResolveSelectors(Diamond(), &unknown).id(), ErrorId::kNameNotInModel);
}

}  // namespace
}  // namespace preon
