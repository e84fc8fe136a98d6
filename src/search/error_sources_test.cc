#include "search/error_sources.h"

#include <gtest/gtest.h>

#include "ir/test_graphs.h"

namespace preon {
namespace {

using test::GraphBuilder;

// x -> Conv -> a -> Conv -> b, all with codes.
struct Chain {
  Chain() {
    g.Output(g.Conv(g.Conv("x", "a"), "b"));
    for (const char* tensor : {"x", "a", "b"}) plan.activations[tensor] = {};
    for (const char* node : {"a_node", "b_node"}) plan.nodes.push_back({node, "Conv"});
  }
  GraphBuilder g{{1, 4, 8, 8}};
  QuantPlan plan;
};

TEST(ErrorSources, OwnRoundingsKeepTheirSharesAndTheRestIsInherited) {
  Chain chain;
  const LockStep measured{.tensors = {{"x", {100, 1, 1}}, {"a", {100, 4, 1, 3}}, {"b", {100, 10, 2, 8}}},
                          .weights = {{"a_node", 1.5}, {"b_node", 4}}};
  const ErrorSources sources = FindErrorSources(chain.g.model.graph, chain.plan, measured);
  EXPECT_DOUBLE_EQ(sources.noise, 0.1);
  EXPECT_DOUBLE_EQ(sources.activations.at("b"), 0.1 * 0.2);
  EXPECT_DOUBLE_EQ(sources.weights.at("b_node"), 0.1 * 0.8 * 0.5) << "4 of the 8 that are not rounding";
  EXPECT_DOUBLE_EQ(sources.activations.at("a"), 0.04 * 0.25);
  EXPECT_DOUBLE_EQ(sources.weights.at("a_node"), 0.03 * 0.5);
  EXPECT_DOUBLE_EQ(sources.activations.at("x"), 0.015);
}

TEST(ErrorSources, AnotherPlanLosesWhatItDoesNotRound) {
  Chain chain;
  ErrorSources sources{.noise = 10, .activations = {{"x", 1}, {"a", 2}}, .weights = {{"a_node", 3}, {"b_node", 4}}};
  EXPECT_DOUBLE_EQ(sources.With(chain.plan), 10);
  QuantPlan other = chain.plan;
  other.activations.erase("x");
  other.nodes[0].reason = FloatReason::kAccuracy;
  EXPECT_DOUBLE_EQ(sources.With(other), 6);
  sources.Learn(other, 0.5);
  EXPECT_DOUBLE_EQ(sources.With(chain.plan), 10) << "what was not found there is elsewhere";
  EXPECT_DOUBLE_EQ(sources.With(other), 8);
}

// Two convolutions whose outputs a node joins.
struct TwoParts {
  explicit TwoParts(const std::string& op) {
    g.Conv("x", "a");
    g.Conv("x", "b");
    g.Op(op, {"a", "b"}, "y");
    g.Output("y");
    plan.activations = {{"a", {}}, {"b", {}}};
  }

  GraphBuilder g{{1, 4, 8, 8}};
  QuantPlan plan;
};

TEST(ErrorSources, ASumInheritsInProportionToTheNoiseOfItsParts) {
  const TwoParts two("Add");
  const ErrorSources sources =
      FindErrorSources(two.g.model.graph, two.plan,
                       {.tensors = {{"x", {1, 0, 0}}, {"a", {10, 3, 3}}, {"b", {1000, 1, 1}}, {"y", {100, 4, 0}}}});
  EXPECT_DOUBLE_EQ(sources.activations.at("a"), 0.04 * 0.75);
  EXPECT_DOUBLE_EQ(sources.activations.at("b"), 0.04 * 0.25);
}

TEST(ErrorSources, WhatEntersAFloatTailIsMeasured) {
  const TwoParts two("Concat");
  const ErrorSources sources = FindErrorSources(
      two.g.model.graph, two.plan,
      {.tensors = {{"a", {10, 3, 3}}, {"b", {10, 3, 3}}, {"y", {100, 4, 0}}}, .tails = {{"y", {{"a", 9}, {"b", 1}}}}});
  EXPECT_DOUBLE_EQ(sources.activations.at("a"), 0.04 * 0.9);
  EXPECT_DOUBLE_EQ(sources.activations.at("b"), 0.04 * 0.1);
}

TEST(ErrorSources, WhatSharesAScaleIsRoundedOnce) {
  GraphBuilder g({1, 4, 8, 8});
  g.Op("Transpose", {"x"}, "t");
  g.Output(g.Conv("t", "y"));
  QuantPlan plan;
  plan.activations["x"] = {};
  plan.activations["t"].shares = "x";
  const ErrorSources sources =
      FindErrorSources(g.model.graph, plan, {.tensors = {{"x", {10, 1, 1}}, {"t", {10, 1, 1}}, {"y", {10, 1, 0}}}});
  EXPECT_DOUBLE_EQ(sources.activations.at("x"), 0.1);
  EXPECT_FALSE(sources.activations.contains("t"));
}

}  // namespace
}  // namespace preon
