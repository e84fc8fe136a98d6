#include "decide/alarm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "eval/compare_models.h"

namespace preon {
namespace {

std::vector<std::string> Ids(const AlarmFigures& figures) {
  std::vector<std::string> ids;
  for (const Alarm& alarm : FindAlarms(figures)) ids.push_back(alarm.id);
  return ids;
}

using IdList = std::vector<std::string>;

// Ten samples of four classes; `change` makes the other model's values.
Comparison CompareWith(float (*change)(float value)) {
  Comparer comparer;
  for (int sample = 0; sample < 10; ++sample) {
    std::vector<float> a(4), b(4);
    for (int i = 0; i < 4; ++i) {
      a[i] = static_cast<float>((sample * 37 + i * 101) % 211) / 50 - 2;
      b[i] = change(a[i]);
    }
    EXPECT_TRUE(
        comparer.Add({{"y", Tensor::FromFloats({1, 4}, a)}}, {{"y", Tensor::FromFloats({1, 4}, b)}}, 1, {}).ok());
  }
  return comparer.Finish();
}

TEST(Alarm, NoneForAGoodResult) {
  const Comparison compare = CompareWith([](float value) { return value * 1.01f; });
  EXPECT_EQ(Ids({.compare = compare,
                 .speedup = {.median = 1.5, .low = 1.4, .high = 1.6},
                 .float_size_bytes = 14'000'000,
                 .quantized_size_bytes = 3'700'000,
                 .stored = {.float_model_bytes = 13'800'000, .bits = 8}}),
            IdList());
}

TEST(Alarm, ValuesThatBecameNaN) {
  const Comparison compare = CompareWith([](float value) { return value > 0 ? value : std::sqrt(value); });
  EXPECT_EQ(Ids({.compare = compare}), IdList{"not_finite"});
}

TEST(Alarm, FarFromFloat) {
  const Comparison compare = CompareWith([](float value) { return -value; });
  EXPECT_EQ(Ids({.compare = compare}), (IdList{"low_sqnr", "low_agreement"}));
}

TEST(Alarm, OtherSamplesMayBeFarFromFloat) {
  const auto with = [](double sqnr_db, double low) {
    Comparison compare = CompareWith([](float value) { return value * 1.01f; });
    compare.outputs["y"].sqnr_db = sqnr_db;
    compare.outputs["y"].sqnr_interval = ConfidenceInterval{low, 30};
    return Ids({.compare = compare});
  };
  EXPECT_EQ(with(14, 4), (IdList{"low_sqnr"}));
  EXPECT_EQ(with(14, 7), IdList());
  EXPECT_EQ(with(25, 4), IdList());
  EXPECT_EQ(with(100, -40), (IdList{"low_sqnr"}));
}

TEST(Alarm, IntegersCountByTheirEquality) {
  const auto with = [](double equal_share, bool ranked) {
    Comparison compare = CompareWith([](float value) { return value * 1.01f; });
    compare.outputs["class"].sqnr_db = 5;
    compare.outputs["class"].equal_share = equal_share;
    compare.outputs["boxes"].ranked = ranked;
    return Ids({.compare = compare});
  };
  EXPECT_EQ(with(0.95, false), IdList());
  EXPECT_EQ(with(0.8, false), (IdList{"low_agreement"}));
  EXPECT_EQ(with(0.8, true), IdList());
}

TEST(Alarm, ScoresFarFromFloatBesideGoodCoordinates) {
  Comparer comparer;
  for (int sample = 0; sample < 3; ++sample) {
    const float score = 0.3f * static_cast<float>(sample + 1);
    const float x = 100 + static_cast<float>(sample);
    std::vector<float> a(32, x), b(32, x);  // coordinates of 16 boxes, then scores
    std::fill(a.begin() + 16, a.end(), score);
    std::fill(b.begin() + 16, b.end(), 0.2f);
    EXPECT_TRUE(
        comparer
            .Add({{"boxes", Tensor::FromFloats({1, 2, 16}, a)}}, {{"boxes", Tensor::FromFloats({1, 2, 16}, b)}}, 1, {})
            .ok());
  }
  const Comparison compare = comparer.Finish();
  EXPECT_GT(compare.outputs.at("boxes").sqnr_db, 40);
  EXPECT_LT(compare.outputs.at("boxes").scores_sqnr_db.value(), 10);
  EXPECT_EQ(Ids({.compare = compare}), (IdList{"low_scores"}));
}

TEST(Alarm, TheSameForAllSamples) {
  const Comparison compare = CompareWith([](float) { return 0.5f; });
  EXPECT_EQ(Ids({.compare = compare}), (IdList{"constant_output", "low_agreement"}));
}

TEST(Alarm, SamplesThatAreAllTheSame) {
  Comparer comparer;
  for (int sample = 0; sample < 4; ++sample) {
    const float rounding = 1e-7f * static_cast<float>(sample);
    const float a[] = {0.2f + rounding, 0.7f}, b[] = {0.2f, 0.7f};
    EXPECT_TRUE(
        comparer.Add({{"y", Tensor::FromFloats({1, 2}, a)}}, {{"y", Tensor::FromFloats({1, 2}, b)}}, 1, {}).ok());
  }
  EXPECT_EQ(Ids({.compare = comparer.Finish()}), IdList());
}

TEST(Alarm, CutOff) {
  const Comparison compare = CompareWith([](float value) { return value > 0.9f ? 0.9f : value; });
  const IdList ids = Ids({.compare = compare});
  EXPECT_NE(std::ranges::find(ids, "saturated_output"), ids.end());
  const Comparison both = CompareWith([](float value) { return value; });
  EXPECT_EQ(Ids({.compare = both}), IdList());
}

TEST(Alarm, ValuesThatRoundToTheEndAreNotCutOff) {
  Comparer comparer;
  for (int sample = 1; sample <= 20; ++sample) {
    const float small = 1e-4f * static_cast<float>(sample), large = 0.9f + 0.001f * static_cast<float>(sample);
    EXPECT_TRUE(comparer
                    .Add({{"y", Tensor::FromFloats({1, 2}, std::vector<float>{small, large})}},
                         {{"y", Tensor::FromFloats({1, 2}, std::vector<float>{0, large})}}, 1, {})
                    .ok());
  }
  const Comparison compare = comparer.Finish();
  EXPECT_GT(compare.outputs.at("y").saturated_share, 0.4);
  EXPECT_EQ(Ids({.compare = compare}), IdList());
}

TEST(Alarm, SlowerByAMeasurementThatCounts) {
  const Comparison none;
  EXPECT_EQ(Ids({.compare = none, .speedup = {.median = 0.8, .low = 0.7, .high = 0.9}}), IdList{"slower"});
  EXPECT_EQ(Ids({.compare = none, .speedup = {.median = 0.8, .low = 0.7, .high = 0.9, .busy = true}}), IdList());
  EXPECT_EQ(Ids({.compare = none, .speedup = {.median = 0.98, .low = 0.9, .high = 1.05}}), IdList());
}

TEST(Alarm, AFileLargerThanItsTypesPromise) {
  const Comparison none;
  const AlarmFigures figures{.compare = none,
                             .float_size_bytes = 90'000'000,
                             .quantized_size_bytes = 80'000'000,
                             .stored = {"embeddings", 46'000'000, 89'000'000, 8}};
  const std::vector<Alarm> alarms = FindAlarms(figures);
  ASSERT_EQ(alarms.size(), 1u);
  EXPECT_EQ(alarms[0].id, "large_file");
  EXPECT_NE(alarms[0].message.find("'embeddings' with 46000000 bytes"), std::string::npos);
  // Names and scales of a small model.
  EXPECT_EQ(Ids({.compare = none,
                 .float_size_bytes = 100'000,
                 .quantized_size_bytes = 90'000,
                 .stored = {.float_model_bytes = 95'000, .bits = 8}}),
            IdList());
}

TEST(Alarm, AFileOfIntegersPromisesLittle) {
  const Comparison none;
  AlarmFigures figures{.compare = none,
                       .float_size_bytes = 535'000,
                       .quantized_size_bytes = 490'000,
                       .stored = {"projection", 49'000, 190'000, 8}};
  EXPECT_EQ(Ids(figures), IdList());
  figures.stored.float_model_bytes = 450'000;
  EXPECT_EQ(Ids(figures), IdList{"large_file"});
}

}  // namespace
}  // namespace preon
