#include "reconstruct/reconstruct.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/model_io.h"
#include "reconstruct/test_qdq_models.h"

namespace preon {
namespace {

using test::EmptyModel;
using test::RandomRuns;
using test::TwoConvolutions;
using test::WithCodes;
using ::testing::Each;
using ::testing::ElementsAre;

const RunContext kContext;

// Inputs 0 and 1 are always equal, so only the sum of their weights counts: 0.4 + 0.4, which nearest codes of scale 1
// make 0. The second layer gets 0.2 too much then, of which its own weight of 1.4 makes 1.2 or 1.6 instead of 1.12.
Model TwoProducts() {
  Model model = EmptyModel({4, 2});
  Graph& graph = model.graph;
  graph.SetInitializer("w1", Tensor::FromFloats({2, 1}, std::vector<float>{0.4F, 0.4F}));
  graph.SetInitializer("w2", Tensor::FromFloats({1, 1}, std::vector<float>{1.4F}));
  graph.AddNode("MatMul", {"x", "w1"}, {"a"}, "first");
  graph.AddNode("MatMul", {"a", "w2"}, {"y"}, "second");
  graph.AddOutput("y", {.type = DataType::kFloat, .shape = Shape{4, 1}});
  return model;
}

std::vector<Batch> EqualInputs() {
  std::vector<Batch> batches = RandomRuns({4, 2}, 12);
  for (Batch& batch : batches) {
    std::vector<float> values(batch.feeds[0].tensor.floats().begin(), batch.feeds[0].tensor.floats().end());
    for (size_t row = 0; row < 4; ++row) values[2 * row + 1] = values[2 * row];
    batch.feeds[0].tensor = Tensor::FromFloats({4, 2}, values);
  }
  return batches;
}

TEST(Reconstruct, CodesMakeUpForEachOther) {
  Model quantized = WithCodes(TwoProducts(), 1);
  EXPECT_THAT(quantized.graph.Initializer("w1_codes")->As<int8_t>(), ElementsAre(0, 0));
  quantized.graph.SetInitializer("w1_codes", Tensor::From<int8_t>(DataType::kInt8, {2, 1}, std::vector<int8_t>{0, 1}));
  Model nearest = WithCodes(TwoProducts(), 1);
  // The codes in use tell which there are; two of the layer's are 0 and 1.
  const Model reference = TwoProducts();
  const auto done =
      Reconstruct(quantized, {reference, {}}, EqualInputs(), {.reach = {.two_sided = true}}, {}, kContext);
  ASSERT_TRUE(done.ok()) << done.status().ToString();
  const auto codes = quantized.graph.Initializer("w1_codes")->As<int8_t>();
  EXPECT_EQ(codes[0] + codes[1], 1);
  EXPECT_THAT(quantized.graph.Initializer("w2_codes")->As<int8_t>(), ElementsAre(1));  // 1 · 1 is nearest to 1.12
  EXPECT_EQ(done->layers.size(), 2U);
}

TEST(Reconstruct, ConvolutionsComeNearerAndTheSameForAnyNumberOfThreads) {
  const Model reference = TwoConvolutions();
  Model quantized = WithCodes(reference, 0.25F), again = quantized;
  const std::vector<Batch> batches = RandomRuns({1, 3, 8, 8}, 40);
  RunContext one, three;
  one.threads = 1;
  three.threads = 3;
  const auto done = Reconstruct(quantized, {reference, {}}, batches, {.reach = {.steps = 1}}, {}, one);
  ASSERT_TRUE(done.ok()) << done.status().ToString();
  EXPECT_GT(done->after_db, done->before_db + 3);
  ASSERT_TRUE(Reconstruct(again, {reference, {}}, batches, {.reach = {.steps = 1}}, {}, three).ok());
  for (const auto& [name, tensor] : quantized.graph.initializers())
    EXPECT_TRUE(std::ranges::equal(tensor.bytes(), again.graph.Initializer(name)->bytes())) << name;
}

TEST(Reconstruct, LayersThatAreJudgedTogetherComeNearerToo) {
  const Model reference = TwoConvolutions();
  Model quantized = WithCodes(reference, 0.25F);
  const auto done = Reconstruct(quantized, {reference, {}}, RandomRuns({1, 3, 8, 8}, 40), {.reach = {.steps = 1}},
                                {.judging_step = 4, .blocks = 1}, kContext);
  ASSERT_TRUE(done.ok()) << done.status().ToString();
  EXPECT_EQ(done->layers.size(), 2U);
  EXPECT_GT(done->after_db, done->before_db + 3);
}

// What codes of the bias miss, those of weights make up for.
TEST(Reconstruct, BiasesOf8BitsAreChosenWithTheWeights) {
  const Model reference = TwoConvolutions();
  Model quantized = WithCodes(reference, 0.25F);
  for (const char* output : {"a", "c"}) test::MakeBiasCoarse(quantized, output, 1, {0, 0, 0, 0, 0, 0});
  Model weights_alone = quantized;
  const std::vector<Batch> batches = RandomRuns({1, 3, 8, 8}, 40);
  ReconstructionRule rule{.reach = {.steps = 1}};
  const auto done = Reconstruct(quantized, {reference, {}}, batches, rule, {}, kContext);
  ASSERT_TRUE(done.ok()) << done.status().ToString();
  rule.updates_bias = false;
  const auto without = Reconstruct(weights_alone, {reference, {}}, batches, rule, {}, kContext);
  ASSERT_TRUE(without.ok()) << without.status().ToString();
  EXPECT_GT(done->after_db, done->before_db + 3);
  EXPECT_GT(done->after_db, without->after_db + 1);
  EXPECT_THAT(weights_alone.graph.Initializer("a_b_codes")->As<int8_t>(), Each(0));
}

// A factor in front of the second layer, as the DPU has behind its pools, makes all of its weights too large.
TEST(Reconstruct, WithOneScaleForAllCodesMayGoFurther) {
  const Model reference = TwoConvolutions();
  Model near = WithCodes(reference, 0.03125F);
  Graph& graph = near.graph;
  Node* relu = graph.Producer("b");
  graph.SetInitializer("factor", Tensor::ScalarFloat(1.25F));
  graph.SetOutput(relu, 0, "before");
  graph.AddNode("Mul", {"before", "factor"}, {"b"});
  Model far = near;
  const std::vector<Batch> batches = RandomRuns({1, 3, 8, 8}, 40);
  const auto by_one = Reconstruct(near, {reference, {}}, batches, {.reach = {.steps = 1}}, {}, kContext);
  const auto by_more =
      Reconstruct(far, {reference, {}}, batches, {.reach = {.steps = 1, .shared_steps = 8}}, {}, kContext);
  ASSERT_TRUE(by_one.ok() && by_more.ok());
  EXPECT_GT(by_more->after_db, by_one->after_db + 1);
}

bool SameConstants(const Model& model, const Model& other) {
  return std::ranges::all_of(model.graph.initializers(), [&](const auto& entry) {
    return std::ranges::equal(entry.second.bytes(), other.graph.Initializer(entry.first)->bytes());
  });
}

TEST(Reconstruct, LayersWithFewerRowsThanTheyNeedStay) {
  const Model reference = TwoConvolutions();
  Model quantized = WithCodes(reference, 0.25F);
  const Model before = quantized;
  const auto done = Reconstruct(quantized, {reference, {}}, RandomRuns({1, 3, 8, 8}, 40), {.reach = {.steps = 1}},
                                {.rows = {.evidence = 1e6}, .blocks = 1}, kContext);
  ASSERT_TRUE(done.ok()) << done.status().ToString();
  ASSERT_EQ(done->layers.size(), 2U);
  EXPECT_TRUE(done->layers[0].stays && done->layers[1].stays);
  EXPECT_TRUE(SameConstants(quantized, before));
}

TEST(Reconstruct, BehindSoManyRefusedGroupsAllLayersStay) {
  const Model reference = TwoConvolutions();
  Model quantized = WithCodes(reference, 0.25F);
  const auto done = Reconstruct(quantized, {reference, {}}, RandomRuns({1, 3, 8, 8}, 40), {.reach = {.steps = 1}},
                                {.most_refused = 0}, kContext);
  ASSERT_TRUE(done.ok()) << done.status().ToString();
  ASSERT_EQ(done->layers.size(), 2U);
  EXPECT_TRUE(done->layers[0].stays && done->layers[1].stays);
}

TEST(Reconstruct, WithoutLayersNothingIsDone) {
  const Model reference = TwoProducts();
  Model quantized = WithCodes(reference, 1);
  const auto done =
      Reconstruct(quantized, {reference, {}}, EqualInputs(), {}, {.op_types = {"Conv"}, .blocks = 6}, kContext);
  ASSERT_TRUE(done.ok()) << done.status().ToString();
  EXPECT_TRUE(done->layers.empty());
}

TEST(Reconstruct, TooSmallAGainIsNotKept) {
  const Model reference = TwoConvolutions();
  Model quantized = WithCodes(reference, 0.25F);
  const Model before = quantized;
  const auto done = Reconstruct(quantized, {reference, {}}, RandomRuns({1, 3, 8, 8}, 40), {.reach = {.steps = 1}},
                                {.blocks = 1, .least_gain_db = 60}, kContext);
  ASSERT_TRUE(done.ok()) << done.status().ToString();
  EXPECT_FALSE(done->is_kept);
  EXPECT_TRUE(SameConstants(quantized, before));
}

TEST(Reconstruct, WhatIsNearEnoughStays) {
  const Model reference = TwoConvolutions();
  Model quantized = WithCodes(reference, 0.25F);
  const Model before = quantized;
  const auto done = Reconstruct(quantized, {reference, {}}, RandomRuns({1, 3, 8, 8}, 40), {.reach = {.steps = 1}},
                                {.enough_db = -20}, kContext);
  ASSERT_TRUE(done.ok()) << done.status().ToString();
  EXPECT_TRUE(done->is_near);
  EXPECT_TRUE(SameConstants(quantized, before));
}

TEST(Reconstruct, LayersWithoutAFloatOneAreNamed) {
  Model reference = TwoConvolutions(), quantized = WithCodes(reference, 0.25F);
  reference.graph.Producer("c")->name = "other";
  Model other = EmptyModel({1, 3, 8, 8});
  const auto done = Reconstruct(quantized, {other, {}}, {}, {}, {}, kContext);
  EXPECT_EQ(done.ok() ? done->left_out.size() : 0U, 2U);
}

TEST(Reconstruct, CancelledRunsEnd) {
  std::atomic<bool> cancel = true;
  RunContext context;
  context.cancel = &cancel;
  Model quantized = WithCodes(TwoConvolutions(), 0.25F);
  const Model reference = TwoConvolutions();
  const auto done = Reconstruct(quantized, {reference, {}}, RandomRuns({1, 3, 8, 8}, 3), {}, {}, context);
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.status().id(), ErrorId::kCancelled);
}

}  // namespace
}  // namespace preon
