#include "eval/metrics/metrics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace preon {
namespace {

Batch Labelled(std::vector<std::optional<int64_t>> labels) {
  Batch batch{.samples = static_cast<int64_t>(labels.size()), .labels = std::move(labels)};
  for (int64_t i = 0; i < batch.samples; ++i) batch.names.push_back(StrCat("s", i));
  return batch;
}

std::vector<NamedTensor> OutputOf(Shape shape, std::vector<float> values) {
  return {{"y", Tensor::FromFloats(std::move(shape), values)}};
}

double Value(std::string_view name, const Batch& batch, const std::vector<NamedTensor>& outputs) {
  const auto metric = FindMetric(name);
  EXPECT_TRUE(metric.ok());
  const auto run = (*metric)->Begin();
  const Status status = run->Add(batch, outputs);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return ValueOf(*run);
}

const std::vector<NamedTensor> kScores = OutputOf({4, 3}, {3, 2, 1, 1, 3, 2, 3, 2, 1, 1, 2, 3});

TEST(Metrics, Top) {
  EXPECT_DOUBLE_EQ(Value("top1", Labelled({0, 1, 2, 2}), kScores), 0.75);
  EXPECT_DOUBLE_EQ(Value("top2", Labelled({1, 2, 2, 0}), kScores), 0.5);
}

TEST(Metrics, ScoresThatAreNaNAreRightAboutNothing) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<NamedTensor> scores = OutputOf({3, 3}, {nan, nan, nan, nan, 3, 2, nan, 1, 2});
  EXPECT_DOUBLE_EQ(Value("top1", Labelled({0, 0, 2}), scores), 1.0 / 3);
  EXPECT_DOUBLE_EQ(Value("top2", Labelled({1, 1, 0}), scores), 1.0 / 3);
  EXPECT_DOUBLE_EQ(Value("f1", Labelled({0, 0, 0}), scores), 0);
}

TEST(Metrics, MacroF1) {  // scikit-learn's f1_score(average="macro") of [0, 1, 2, 2] and [0, 1, 0, 2]
  EXPECT_NEAR(Value("f1", Labelled({0, 1, 2, 2}), kScores), (2.0 / 3 + 1 + 2.0 / 3) / 3, 1e-12);
}

TEST(Metrics, NllOfLabelsAndTokens) {
  EXPECT_NEAR(Value("nll", Labelled({0}), OutputOf({1, 2}, {0, 0})), std::log(2), 1e-9);
  EXPECT_NEAR(Value("nll", Labelled({1}), OutputOf({1, 2}, {0.25f, 0.75f})), -std::log(0.75), 1e-6);
  Batch tokens = Labelled({std::nullopt});
  tokens.feeds = {{"ids", Tensor::FromInt64s({1, 3}, std::vector<int64_t>{0, 1, 0})}};
  // Place 0 is to tell token 1, place 1 token 0, the last nothing.
  EXPECT_NEAR(Value("nll", tokens, OutputOf({1, 3, 2}, {0, 1.5f, 2, 0, 9, 9})),
              (std::log(1 + std::exp(-1.5)) + std::log(1 + std::exp(-2))) / 2, 1e-6);
}

TEST(Metrics, PsnrAndSiSdr) {
  Batch batch = Labelled({std::nullopt});
  batch.expected = OutputOf({1, 4}, {0, 1, 0, 1});
  EXPECT_NEAR(Value("psnr", batch, OutputOf({1, 4}, {0.1f, 0.9f, 0.1f, 0.9f})), 20, 1e-5);
  EXPECT_GT(Value("sisdr", batch, OutputOf({1, 4}, {0, 5, 0, 5})), 100);
  EXPECT_NEAR(Value("sisdr", batch, OutputOf({1, 4}, {1, 1, 0, 1})), 10 * std::log10(2), 1e-6);
}

TEST(Metrics, WordErrors) {
  Batch batch = Labelled({std::nullopt, std::nullopt});
  batch.expected = {{"y", Tensor::FromInt64s({2, 4}, std::vector<int64_t>{1, 2, 3, -1, 2, 2, -1, -1})}};
  // 1 3 for 1 2 3: one is missing; 2 1 2 for 2 2: one too many.
  const std::vector<NamedTensor> tokens = {{"y", Tensor::FromInt64s({2, 3}, std::vector<int64_t>{1, 3, -1, 2, 1, 2})}};
  EXPECT_NEAR(Value("wer", batch, tokens), 2.0 / 5, 1e-12);
  // By scores of four classes: 1 1 - 2 2 3 is 1 2 3, 2 - 2 - - - is 2 2.
  std::vector<float> scores(size_t{2} * 6 * 4);
  const int tops[] = {1, 1, 0, 2, 2, 3, 2, 0, 2, 0, 0, 0};
  for (size_t step = 0; step < std::size(tops); ++step) scores[step * 4 + static_cast<size_t>(tops[step])] = 1;
  EXPECT_EQ(Value("wer", batch, OutputOf({2, 6, 4}, scores)), 0);
  EXPECT_EQ((*FindMetric("wer"))->Begin()->Add(Labelled({0}), tokens).id(), ErrorId::kMissingOption);
  EXPECT_EQ((*FindMetric("wer"))->Begin()->Add(batch, OutputOf({2, 3}, {1, 2, 3, 4, 5, 6})).id(),
            ErrorId::kMissingOption);
}

TEST(Metrics, WhatTheFloatModelReadsCanBeTheReference) {
  Batch batch = Labelled({std::nullopt, std::nullopt});
  std::vector<float> scores(size_t{2} * 3 * 3);
  const int tops[] = {1, 0, 1, 2, 2, 0};
  for (size_t step = 0; step < std::size(tops); ++step) scores[step * 3 + static_cast<size_t>(tops[step])] = 1;
  batch.expected = *(*FindMetric("wer"))->ReferenceOf(batch, OutputOf({2, 3, 3}, scores));
  EXPECT_EQ(Value("wer", batch, OutputOf({2, 3, 3}, scores)), 0);
  EXPECT_NEAR(Value("wer", batch, {{"y", Tensor::FromInt64s({2, 1}, std::vector<int64_t>{1, 2})}}), 1.0 / 3, 1e-12);
  const std::vector<NamedTensor> nothing = {{"y", Tensor::Allocate(DataType::kFloat, {2, 0, 3})}};
  EXPECT_EQ(Value("wer", batch, nothing), 1);  // all tokens are missing
  EXPECT_TRUE((*FindMetric("psnr"))->ReferenceOf(batch, OutputOf({2, 3, 3}, scores))->empty());
}

TEST(Metrics, AveragePrecisionOfBoxes) {
  Batch batch = Labelled({std::nullopt});
  batch.expected = OutputOf({1, 3, 5}, {0, 0, 10, 10, 1, 20, 20, 30, 30, 1, 0, 0, 0, 0, -1});
  const std::vector<float> exact = {0, 0, 10, 10, 0.9f, 1, 20, 20, 30, 30, 0.8f, 1};
  EXPECT_NEAR(Value("map", batch, OutputOf({1, 2, 6}, exact)), 1, 1e-12);
  // One of two: recall ends at 0.5, which 51 of 101 places reach.
  EXPECT_NEAR(Value("map", batch, OutputOf({1, 1, 6}, {0, 0, 10, 10, 0.9f, 1})), 51.0 / 101, 1e-12);
  // IoU 0.8 is a hit up to 0.80: 7 of 10 overlaps.
  EXPECT_NEAR(Value("map", batch, OutputOf({1, 2, 6}, {0, 0, 10, 8, 0.9f, 1, 20, 20, 30, 28, 0.8f, 1})), 0.7, 1e-12);
  EXPECT_EQ(Value("map", batch, OutputOf({1, 2, 6}, {0, 0, 10, 10, 0.9f, 2, 20, 20, 30, 30, 0.8f, 2})), 0);
  EXPECT_EQ((*FindMetric("map"))->Begin()->Add(batch, OutputOf({1, 6}, {0, 0, 1, 1, 1, 1})).id(),
            ErrorId::kMissingOption);
}

TEST(Metrics, WhatIsMissingIsNamed) {
  for (const char* name : {"top1", "f1", "nll"}) {
    const auto metric = *FindMetric(name);
    const auto run = metric->Begin();
    const Status status = run->Add(Labelled({std::nullopt}), OutputOf({1, 3}, {1, 2, 3}));
    EXPECT_EQ(status.id(), ErrorId::kMissingOption) << name;
    EXPECT_NE(status.message().find("s0 has no label"), std::string::npos);
  }
  EXPECT_EQ((*FindMetric("psnr"))->Begin()->Add(Labelled({0}), OutputOf({1, 2}, {1, 2})).id(), ErrorId::kMissingOption);
  EXPECT_EQ(FindMetric("top").status().id(), ErrorId::kUnknownOption);
  EXPECT_EQ(FindMetric("pnsr").status().id(), ErrorId::kUnknownOption);
}

}  // namespace
}  // namespace preon
