#include "reconstruct/live_runs.h"

#include <gtest/gtest.h>

#include "reconstruct/segment.h"
#include "reconstruct/test_qdq_models.h"

namespace preon {
namespace {

using test::RandomRuns;
using test::TwoConvolutions;

std::vector<std::vector<float>> Outputs(const LiveRuns& live, const Model& model, const std::string& tensor) {
  std::vector<std::vector<float>> outputs(live.runs());
  const Status done = live.Run(model, {tensor}, AllRuns(live.runs()), [&](size_t run, const auto& tensors) {
    const std::span<const float> values = tensors.at(tensor).floats();
    outputs[run].assign(values.begin(), values.end());
    return Status::Ok();
  });
  EXPECT_TRUE(done.ok()) << done.ToString();
  return outputs;
}

TEST(LiveRuns, GoOnStepByStepToWhatAWholeRunGives) {
  const Model model = TwoConvolutions();
  const std::vector<Batch> batches = RandomRuns({1, 3, 8, 8}, 5);
  const RunContext context;
  const LiveRuns whole(batches, context);
  const auto expected = Outputs(whole, model, "y");
  for (const size_t most_bytes : {size_t{1} << 30, size_t{0}}) {  // 0: never goes on, computes all from the inputs
    LiveRuns live(batches, context);
    for (const auto& node : model.graph.nodes()) {
      ASSERT_TRUE(live.GoOn(model, AliveBefore(model.graph, *node), most_bytes).ok());
      const auto got = Outputs(live, model, "y");
      for (size_t run = 0; run < 5; ++run) {
        for (size_t i = 0; i < expected[run].size(); ++i) ASSERT_NEAR(got[run][i], expected[run][i], 1e-4);
      }
    }
  }
}

TEST(LiveRuns, WhatTheRuntimeRefusesIsAnError) {
  Model model = TwoConvolutions();
  model.graph.nodes()[0]->attributes["pads"] = std::vector<int64_t>{-9, -9, -9, -9};
  const RunContext context;
  const std::vector<Batch> batches = RandomRuns({1, 3, 8, 8}, 3);
  const LiveRuns live(batches, context);
  const Status refused = live.Run(model, {"y"}, {0, 1, 2}, [](size_t, const auto&) { return Status::Ok(); });
  EXPECT_EQ(refused.id(), ErrorId::kRuntimeLoad) << refused.ToString();
}

TEST(AliveBefore, IsWhatNodesBehindRead) {
  const Model model = TwoConvolutions();
  const auto alive = [&](size_t node) { return AliveBefore(model.graph, *model.graph.nodes()[node]); };
  EXPECT_EQ(alive(0), std::set<std::string>({"x"}));
  EXPECT_EQ(alive(1), std::set<std::string>({"a"}));
  EXPECT_EQ(alive(2), std::set<std::string>({"b"}));
  EXPECT_EQ(alive(3), std::set<std::string>({"b", "c"}));
}

// Codes are alive, not what a DequantizeLinear makes of them, and constants of no layer are.
TEST(AliveBefore, CodesStandForTheirValues) {
  Model model = test::WithCodes(TwoConvolutions(), 0.02F);
  Graph& graph = model.graph;
  graph.SetInitializer("s", Tensor::ScalarFloat(0.1F));
  Node* second = graph.Producer("c");
  graph.AddNode("QuantizeLinear", {"b", "s"}, {"q"}, "", "", second);
  graph.AddNode("DequantizeLinear", {"q", "s"}, {"d"}, "", "", second);
  graph.SetInput(second, 0, "d");
  EXPECT_EQ(AliveBefore(graph, *second), std::set<std::string>({"b", "q"}));
  EXPECT_EQ(StoredAs(graph, "d"), "q");
  EXPECT_EQ(StoredAs(graph, "b"), "b");
}

// Without the condition of its If, a branch may not be possible.
TEST(AliveBefore, NothingThatABranchComputes) {
  Model model = TwoConvolutions();
  Graph& graph = model.graph;
  graph.Producer("b")->home = IfBranch{"choice", 0};
  ASSERT_EQ(graph.Producer("b")->input(0), "a");
  EXPECT_EQ(AliveBefore(graph, *graph.Producer("c")), std::set<std::string>({"a"}));
}

TEST(Segment, StatesSizesOnlyWithoutBranches) {
  Model model = TwoConvolutions();
  const std::map<std::string, ValueInfo> known{{"b", {.type = DataType::kFloat, .shape = Shape{1, 3, 8, 8}}}};
  EXPECT_EQ(Segment(model, known, {"y"}).graph.ShapeOf("b"), Shape({1, 3, 8, 8}));
  OpaqueAttribute branch;
  branch.is_graph = true;
  model.graph.SetAttribute(model.graph.Producer("c"), "then_branch", branch);
  EXPECT_EQ(Segment(model, known, {"y"}).graph.ShapeOf("b"), model.graph.ShapeOf("b"));
}

}  // namespace
}  // namespace preon
