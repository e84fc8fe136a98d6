#include "quantize/plan/branch_coverage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/text_format.h"

namespace preon {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Model TwoBranches() {
  Result<Model> model = ParseModelText(R"(<ir_version: 8, opset_import: ["": 17]>
    g (float[2, 2] x, bool c) => (float[2, 2] y)
      <float[2, 2] w = {1, 2, 3, 4}, float[2, 2] a, float[2, 2] p, float[2, 2] m, float[2, 2] q> {
      [outer] a = Relu (x)
      [if] y = If (c) <
        then_branch = yes () => (float[2, 2] t) { [p] p = MatMul (a, w) [t] t = Relu (p) },
        else_branch = no () => (float[2, 2] e) { [m] m = MatMul (a, w) [q] q = MatMul (m, w) [e] e = Abs (q) }>
    })");
  EXPECT_TRUE(model.ok()) << model.status().ToString();
  return *std::move(model);
}

QuantPlan PlanWith(const std::vector<std::string>& tensors, const std::vector<std::string>& integer_nodes) {
  QuantPlan plan;
  for (const std::string& tensor : tensors) plan.activations[tensor] = {};
  for (const std::string& node : integer_nodes) plan.nodes.push_back({.node = node});
  return plan;
}

TEST(BranchCoverage, ABranchInWhichNothingIsObservedGetsAProbe) {
  const Model model = TwoBranches();
  EXPECT_THAT(FindBranchProbes(model.graph, PlanWith({"a", "m"}, {"p", "m", "q"})), ElementsAre("p"));
  EXPECT_THAT(FindBranchProbes(model.graph, PlanWith({"a", "m"}, {"m", "q"})), IsEmpty());
}

TEST(BranchCoverage, ABranchWithoutAnyValueIsNotReached) {
  const Model model = TwoBranches();
  const NotReached not_reached = FindNotReached(model.graph, {"a", "m", "p"}, {"m"});
  EXPECT_THAT(not_reached.nodes, ElementsAre("e", "m", "q"));
  EXPECT_THAT(not_reached.places, ElementsAre("else_branch of if"));
}

// Such a tensor has no elements; the branch did run.
TEST(BranchCoverage, AnEmptyTensorAmongOthersKeepsItsNodesOnly) {
  const Model model = TwoBranches();
  const NotReached not_reached = FindNotReached(model.graph, {"a", "m", "p", "q"}, {"m"});
  EXPECT_THAT(not_reached.nodes, ElementsAre("m", "q"));
  EXPECT_THAT(not_reached.places, ElementsAre("tensor 'm'"));
}

TEST(BranchCoverage, EverythingReachedIsTheRule) {
  const Model model = TwoBranches();
  const NotReached not_reached = FindNotReached(model.graph, {"a", "m", "p"}, {});
  EXPECT_THAT(not_reached.nodes, IsEmpty());
}

}  // namespace
}  // namespace preon
