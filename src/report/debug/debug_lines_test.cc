#include "report/debug/debug_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/tensor_type.h"
#include "quantize/plan/float_reason.h"

namespace preon {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(DebugLines, EachMethodThatWasTriedHasItsOutcome) {
  std::vector<MethodCandidate> candidates(3);
  candidates[0] = {.method = "minmse", .options = "GraphAware=true", .sqnr_db = 30.25, .selected = true};
  candidates[1] = {.method = "minmax", .sqnr_db = 21, .ended_early = true};
  candidates[2] = {.method = "percentile", .sqnr_db = 29.5, .activations_db = 31};
  EXPECT_THAT(
      LinesOfTrials(candidates, {}),
      ElementsAre("method minmse (GraphAware=true): SQNR 30.2 dB, selected", "method minmax: SQNR 21.0 dB, ended early",
                  "method percentile: SQNR 29.5 dB (31.0 dB with float weights)"));
}

TEST(DebugLines, NodesThatWereTriedInFloat) {
  const AccuracyFallback fallback{.trials = {{.nodes = {"a", "b"}, .sqnr_db = 25, .cost = 0.012, .kept = true},
                                             {.nodes = {"c"}, .sqnr_db = 26, .cost = 0.3, .slow = true},
                                             {.nodes = {"d"}, .sqnr_db = 25.1, .cost = -0.001}}};
  EXPECT_THAT(LinesOfTrials({}, fallback),
              ElementsAre("tried in float: a, b: SQNR 25.0 dB, +1.2 % of the time (estimated), kept",
                          "tried in float: c: SQNR 26.0 dB, +30.0 % of the time (estimated), not kept: measured, it "
                          "costs more",
                          "tried in float: d: SQNR 25.1 dB, -0.1 % of the time (estimated), not kept"));
  EXPECT_THAT(LinesOfTrials({}, {.why_none = "too large"}), ElementsAre("no layers were tried in float: too large"));
}

TEST(DebugLines, AlgorithmsSayWhyTheyLeftEverythingAsItWas) {
  EXPECT_THAT(LinesOfImproved({{.algorithm = "adaquant", .why_not = "needs --data"},
                               {.algorithm = "adaround",
                                .runs = 8,
                                .seconds = 1.25,
                                .layers_changed = 2,
                                .layers_kept = 1,
                                .before_db = 20,
                                .after_db = 22.5}}),
              ElementsAre("algorithm adaquant: unchanged: needs --data",
                          "algorithm adaround: layers changed: 2 of 3; SQNR 20.0 dB -> 22.5 dB on the samples used for "
                          "judging; 8 runs; 1.2 s"));
}

Placement FourNodes() {
  return {
      .integer = {{"conv", "Conv", "QLinearConv", 0.75}, {"pool", "MaxPool", "MaxPool", 0}},
      .float_nodes = {{.node = "softmax", .op = "Softmax", .reason = "no gain", .detail = "between float operators"},
                      {.node = "fc",
                       .op = "Gemm",
                       .reason = "accuracy",
                       .macs_share = 0.25,
                       .weights = "int8",
                       .weights_why = "measured"}}};
}

TEST(DebugLines, EachNodeIsIntegerOrFloatAndWhy) {
  EXPECT_THAT(LinesOfNodes(FourNodes(), /*computes_in_float=*/false),
              ElementsAre("node conv (Conv): integer, by QLinearConv (75.0 % of the work)",
                          "node pool (MaxPool): integer, by MaxPool",
                          "node softmax (Softmax): float, no gain: between float operators",
                          "node fc (Gemm): float, accuracy (25.0 % of the work); weights as int8: measured"));
}

TEST(DebugLines, WhatATargetPutsQuantizersAroundIsNotSimplyFloat) {
  Placement placement = FourNodes();
  placement.float_nodes[0].reason = FloatReasonName(FloatReason::kNotFused);
  EXPECT_EQ(LinesOfNodes(placement, true)[2], "node softmax (Softmax): between quantizers, computes in float");
  EXPECT_EQ(LinesOfNodes(placement, false)[2], "node softmax (Softmax): float, not fused: between float operators");
  placement.runs_on = "an NPU";
  EXPECT_EQ(LinesOfNodes(placement, true)[2], "node softmax (Softmax): float, not fused: between float operators");
}

TEST(DebugLines, EachWeightHasItsTypeAndWhatSharesAScale) {
  QuantPlan plan;
  plan.weights["w1"] = {.format = {DataType::kInt8}, .axis = 0, .nodes = {"conv", "other"}};
  plan.weights["w2"] = {.format = {DataType::kInt4, false, false, 3}, .axis = 1, .block_size = 32};
  plan.dynamic.weights["w3"] = {.format = {DataType::kInt8}};
  plan.bodies.emplace_back().weights["w4"] = {.block = BlockPlan{*ParseTensorType("bfp16")->block()}};
  EXPECT_THAT(LinesOfWeights(plan), ElementsAre("weight w1: int8, a scale per index of axis 0, read by conv, other",
                                                "weight w2: int3, a scale per 32 values along axis 1",
                                                "weight w3: int8, one scale", "weight w4: bfp16"));
}

class Activations : public testing::Test {
 protected:
  std::vector<std::string> Lines(const TensorRanges& ranges = {}) const {
    PlanParams params(graph_, plan_, ranges);
    EXPECT_TRUE(params.Compute().ok());
    return LinesOfActivations(plan_, params);
  }

  Graph graph_;
  QuantPlan plan_;
};

TEST_F(Activations, ScaleZeroPointAndTheRangeThatTheyStandFor) {
  plan_.activations["x"] = {.format = {DataType::kUInt8}};
  plan_.activations["y"] = {.format = {DataType::kInt8, true}, .params = QuantParams{0.5, 0}};
  plan_.activations["z"] = {.format = {DataType::kUInt8}, .shares = "x"};
  plan_.activations["hidden"] = {.format = {DataType::kUInt8}, .shares = "x", .pair = false};
  EXPECT_THAT(Lines({{"x", {-0.5, 2.05}}}),
              ElementsAre("tensor x: uint8, scale 0.01, zero point 50, range -0.5 to 2.05",
                          "tensor y: int8, scale 0.5, zero point 0, range -63.5 to 63.5",
                          "tensor z: uint8, scale 0.01, zero point 50, range -0.5 to 2.05, shared with x"));
}

TEST_F(Activations, TypesWithoutCodesHaveNoRange) {
  plan_.activations["b"] = {.block = BlockPlan{*ParseTensorType("bfp16")->block()}};
  plan_.activations["f"] = {.format = {DataType::kFloat8E4M3FN}, .params = QuantParams{0.25, 0}};
  EXPECT_THAT(Lines(), ElementsAre("tensor b: bfp16", "tensor f: float8e4m3fn, scale 0.25"));
}

TEST_F(Activations, SecondPairsNameTheirReaders) {
  const IntFormat wide{DataType::kInt16, true};
  plan_.activations["x"] = {.format = {DataType::kInt8, true},
                            .params = QuantParams{0.5, 0},
                            .converts = {{.format = wide, .params = QuantParams{0.25, 0}, .nodes = {"a", "b"}},
                                         {.format = wide, .params = QuantParams{0.125, 0}}}};
  EXPECT_THAT(Lines(),
              ElementsAre("tensor x: int8, scale 0.5, zero point 0, range -63.5 to 63.5",
                          "tensor x, second pair for a, b: int16, scale 0.25, zero point 0, range -8191.75 to 8191.75",
                          "tensor x, second pair for all readers: int16, scale 0.125, zero point 0, range -4095.875 to "
                          "4095.875"));
}

TEST_F(Activations, NoneAreNoLines) { EXPECT_THAT(Lines(), IsEmpty()); }

}  // namespace
}  // namespace preon
