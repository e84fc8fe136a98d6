#include "pipeline/gain.h"

#include <gtest/gtest.h>

namespace preon {
namespace {

constexpr Speedup kFaster = {.median = 1.5, .low = 1.4, .high = 1.6};
constexpr Speedup kEqual = {.median = 0.99, .low = 0.9, .high = 1.1};
constexpr Speedup kSlower = {.median = 0.9, .low = 0.8, .high = 0.99};

ResultFigures Small(const Speedup& speedup) {
  return {.float_size_bytes = 100'000, .quantized_size_bytes = 30'000, .speedup = speedup};
}

ResultFigures LargerBy(int64_t bytes, const Speedup& speedup) {
  return {.float_size_bytes = 100'000, .quantized_size_bytes = 100'000 + bytes, .speedup = speedup};
}

Speedup Busy(Speedup speedup) {
  speedup.busy = true;
  return speedup;
}

TEST(WhyNothingIsGained, SmallerAndNotSlowerIsAGain) {
  EXPECT_EQ(WhyNothingIsGained(Small(kFaster), Doubt::kIsNoLoss), "");
  EXPECT_EQ(WhyNothingIsGained(Small(kEqual), Doubt::kIsNoLoss), "");
}

TEST(WhyNothingIsGained, WhatSavesLittleMustBeFaster) {
  ResultFigures figures = {.float_size_bytes = 19'000, .quantized_size_bytes = 12'000, .speedup = kEqual};
  for (const Doubt doubt : {Doubt::kIsNoLoss, Doubt::kIsNoGain}) {
    figures.speedup = {.median = 1.02, .low = 0.98, .high = 1.05};
    EXPECT_EQ(WhyNothingIsGained(figures, doubt),
              "the file is hardly smaller, and it runs at 1.02 times the speed of float (0.98 to 1.05)");
    const Speedup noticeably_faster{.median = 1.05, .low = 0.9, .high = 1.2};
    for (const Speedup& speedup : {kFaster, noticeably_faster, Busy(kSlower), Speedup{}}) {
      figures.speedup = speedup;
      EXPECT_EQ(WhyNothingIsGained(figures, doubt), "");
    }
  }
}

TEST(WhyNothingIsGained, LostOutputsAreNoneWhateverTheSpeed) {
  ResultFigures figures = Small(kFaster);
  figures.sqnr_db = 5.9;
  for (const Doubt doubt : {Doubt::kIsNoLoss, Doubt::kIsNoGain})
    EXPECT_EQ(WhyNothingIsGained(figures, doubt), "the outputs are too far from float: its SQNR is 5.9 dB");
  figures.agreement = 0.8;
  EXPECT_NE(WhyNothingIsGained(figures, Doubt::kIsNoLoss), "");
  figures.agreement = 0.95;
  EXPECT_EQ(WhyNothingIsGained(figures, Doubt::kIsNoLoss), "") << "classes are those of float";
  figures = Small(kFaster);
  figures.sqnr_db = 6;
  EXPECT_EQ(WhyNothingIsGained(figures, Doubt::kIsNoLoss), "");
}

TEST(WhyNothingIsGained, NoIntegerNodeIsNone) {
  ResultFigures figures = Small(kFaster);
  figures.has_integer_nodes = false;
  EXPECT_EQ(WhyNothingIsGained(figures, Doubt::kIsNoLoss), "no node runs in integers");
}

TEST(WhyNothingIsGained, HardlyAnyIntegerWorkIsNoneUnlessTheFileIsSmaller) {
  ResultFigures figures = LargerBy(-4'000, kFaster);
  figures.integer_macs_share = 0.03;
  EXPECT_EQ(WhyNothingIsGained(figures, Doubt::kIsNoLoss),
            "only 3.0 % of the multiply-accumulates run in integers, and the file is hardly smaller");
  figures.integer_macs_share = 0;
  EXPECT_EQ(WhyNothingIsGained(figures, Doubt::kIsNoLoss),
            "only 0.0 % of the multiply-accumulates run in integers, and the file is hardly smaller");
  figures.integer_macs_share.reset();
  EXPECT_EQ(WhyNothingIsGained(figures, Doubt::kIsNoLoss), "") << "not known";
  figures.integer_macs_share = 0.05;
  EXPECT_EQ(WhyNothingIsGained(figures, Doubt::kIsNoLoss), "");
  figures = Small(kEqual);
  figures.integer_macs_share = 0.03;
  EXPECT_EQ(WhyNothingIsGained(figures, Doubt::kIsNoLoss), "");
}

TEST(WhyNothingIsGained, SlowerOnlyWhereTheIntervalExcludesOne) {
  EXPECT_EQ(WhyNothingIsGained(Small({.median = 0.9, .low = 0.8, .high = 1.0}), Doubt::kIsNoLoss), "");
  EXPECT_EQ(WhyNothingIsGained(Small(kSlower), Doubt::kIsNoLoss),
            "it runs at 0.90 times the speed of float (0.80 to 0.99)");
}

TEST(WhyNothingIsGained, LargerIsRefusedWhateverTheSpeed) {
  for (const Speedup& speedup : {Speedup{}, Busy(kFaster)})
    EXPECT_EQ(WhyNothingIsGained(LargerBy(4097, speedup), Doubt::kIsNoLoss),
              "the file is larger, 104 kB instead of 100 kB");
  EXPECT_EQ(WhyNothingIsGained(LargerBy(4097, kFaster), Doubt::kIsNoLoss),
            "the file is larger, 104 kB instead of 100 kB, although it runs at 1.50 times the speed of float (1.40 to "
            "1.60)");
}

TEST(WhyNothingIsGained, AFewBytesMoreAreForgivenUnlessItIsKnownThatNothingMakesUpForThem) {
  for (const Speedup& speedup : {Speedup{}, kFaster, Busy(kEqual)})
    EXPECT_EQ(WhyNothingIsGained(LargerBy(4096, speedup), Doubt::kIsNoLoss), "");
  EXPECT_EQ(WhyNothingIsGained(LargerBy(1, kEqual), Doubt::kIsNoLoss),
            "the file is larger, 100 kB instead of 100 kB, at 0.99 times the speed of float (0.90 to 1.10)");
}

TEST(WhyNothingIsGained, ABusyMachineProvesNothing) {
  EXPECT_EQ(WhyNothingIsGained(Small(Busy(kSlower)), Doubt::kIsNoLoss), "");
  EXPECT_EQ(WhyNothingIsGained(Small(Busy(kSlower)), Doubt::kIsNoGain), "");
}

TEST(WhyNothingIsGained, InDoubtAnotherTargetHasToBeSmallerAndAtLeastAsFast) {
  EXPECT_EQ(WhyNothingIsGained(Small({.median = 1, .low = 0.9, .high = 1.1}), Doubt::kIsNoGain), "");
  EXPECT_EQ(WhyNothingIsGained(Small(kEqual), Doubt::kIsNoGain),
            "it runs at 0.99 times the speed of float (0.90 to 1.10)");
  EXPECT_EQ(WhyNothingIsGained(LargerBy(1, {}), Doubt::kIsNoGain), "the file is larger, 100 kB instead of 100 kB");
}

TEST(WhyInDoubt, SlowerAndFarFromFloatAreTold) {
  EXPECT_EQ(WhyInDoubt({.sqnr_db = 40, .speedup = kEqual}), "it runs at 0.99 times the speed of float (0.90 to 1.10)");
  const ConfidenceInterval wide{12, 18};
  EXPECT_EQ(WhyInDoubt({.sqnr_db = 17.2, .sqnr_interval = wide, .speedup = kFaster}),
            "its SQNR is 17.2 dB (12.0 to 18.0)");
  EXPECT_EQ(WhyInDoubt({.sqnr_db = 20, .sqnr_interval = wide, .speedup = kFaster}), "");
}

TEST(WhyInDoubt, AllSamplesFarFromFloatIsNoMatterOfScales) {
  EXPECT_EQ(WhyInDoubt({.sqnr_db = 17, .sqnr_interval = ConfidenceInterval{16, 18}, .speedup = kFaster}), "");
  EXPECT_EQ(WhyInDoubt({.sqnr_db = 17, .speedup = kFaster}), "");
}

TEST(WhyInDoubt, WhatIsMostlyFloatIs) {
  EXPECT_EQ(WhyInDoubt({.integer_macs_share = 0.12, .sqnr_db = 40, .speedup = kFaster}),
            "only 12.0 % of the multiply-accumulates run in integers");
  for (const double share : {0.0, 0.5, 1.0})
    EXPECT_EQ(WhyInDoubt({.integer_macs_share = share, .sqnr_db = 40, .speedup = kFaster}), "");
}

TEST(WhyNotInstead, WhatIsMostlyFloatGivesWayToWhatIsGoodAndAtLeastAsFast) {
  const TargetFigures first{.integer_macs_share = 0.1, .sqnr_db = 40, .speedup = {.median = 1.1}};
  EXPECT_EQ(WhyNotInstead(first, {.sqnr_db = 30, .speedup = kFaster}), "");
  EXPECT_EQ(WhyNotInstead(first, {.sqnr_db = 29, .speedup = kFaster}), "its SQNR is 29.0 dB");
  EXPECT_EQ(WhyNotInstead(first, {.sqnr_db = 40, .speedup = kEqual}),
            "it runs at 0.99 times the speed of float (0.90 to 1.10)");
  const Speedup hardly_faster{.median = 1.2, .low = 1.1, .high = 1.3};
  EXPECT_EQ(WhyNotInstead(first, {.sqnr_db = 37, .speedup = hardly_faster}), "");
  EXPECT_EQ(WhyNotInstead(first, {.sqnr_db = 36.9, .speedup = hardly_faster}),
            "it runs at 1.20 times the speed of float (1.10 to 1.30)");
}

TEST(WhyNotInstead, ItMayBeLargerByAnEighth) {
  const TargetFigures first{.size_bytes = 40'000, .integer_macs_share = 0.1, .sqnr_db = 30, .speedup = {.median = 1.1}};
  EXPECT_EQ(WhyNotInstead(first, {.size_bytes = 45'000, .sqnr_db = 30, .speedup = kFaster}), "");
  EXPECT_EQ(WhyNotInstead(first, {.size_bytes = 45'001, .sqnr_db = 30, .speedup = kFaster}),
            "the file is larger, 45.0 kB instead of 40.0 kB");
}

TEST(WhyNotInstead, WhatIsHardlyUsableGivesWayToWhatIsMuchNearerAndNoSlowerThanFloat) {
  const auto first = [](double db) {
    return TargetFigures{.integer_macs_share = 0.1, .sqnr_db = db, .speedup = kFaster};
  };
  const Speedup as_float{.median = 1.01, .low = 1, .high = 1.02};
  EXPECT_EQ(WhyNotInstead(first(13.5), {.sqnr_db = 44, .speedup = as_float}), "");
  EXPECT_NE(WhyNotInstead(first(13.5), {.sqnr_db = 23, .speedup = as_float}), "");
  EXPECT_NE(WhyNotInstead(first(13.5), {.sqnr_db = 44, .speedup = kEqual}), "");
  EXPECT_NE(WhyNotInstead(first(16), {.sqnr_db = 44, .speedup = as_float}), "");
}

TEST(WhyInDoubt, WithoutASpeedOnlyWhatIsMostlyFloatOrFarFromFloatForSomeIs) {
  EXPECT_EQ(WhyInDoubt({.sqnr_db = 10}), "");
  EXPECT_EQ(WhyInDoubt({.sqnr_db = 10, .speedup = Busy(kSlower)}), "");
  for (const Speedup& speedup : {Speedup{}, Busy(kSlower)})
    EXPECT_EQ(WhyInDoubt({.integer_macs_share = 0.12, .sqnr_db = 40, .speedup = speedup}),
              "only 12.0 % of the multiply-accumulates run in integers");
  EXPECT_EQ(WhyInDoubt({.sqnr_db = 10, .sqnr_interval = ConfidenceInterval{5, 12}}),
            "its SQNR is 10.0 dB (5.0 to 12.0)");
}

TEST(WhyNotInstead, WithoutASpeedMoreIntegersHaveToBeNearerToFloat) {
  for (const Speedup& speedup : {Speedup{}, Busy(kSlower), kFaster}) {
    const TargetFigures first{.integer_macs_share = 0.1, .sqnr_db = 26, .speedup = speedup};
    EXPECT_EQ(WhyNotInstead(first, {.integer_macs_share = 0.9, .sqnr_db = 29}), "");
    EXPECT_EQ(WhyNotInstead(first, {.integer_macs_share = 0.9, .sqnr_db = 28.9}), "its speed is not known");
    EXPECT_EQ(WhyNotInstead(first, {.integer_macs_share = 0.1, .sqnr_db = 29}), "its speed is not known");
  }
}

TEST(WarningOfBusySpeed, IsOnlyOfWhatSeemsSlower) {
  EXPECT_EQ(WarningOfBusySpeed(Busy(kEqual)),
            "measured slower than float on a busy machine, 0.99 times the speed of float (0.90 to 1.10): this speed "
            "was ignored; measure again with preon compare while no other program runs");
  for (const Speedup& speedup : {Speedup{}, kSlower, Busy(kFaster)}) EXPECT_EQ(WarningOfBusySpeed(speedup), "");
}

TEST(WhyNotInstead, AnythingThatGainsIsBetterThanWhatIsSlower) {
  EXPECT_EQ(WhyNotInstead({.sqnr_db = 30, .speedup = kSlower}, {.sqnr_db = 12}), "");
}

TEST(WhyNotInstead, WhatIsFarFromFloatGivesWayToWhatIsMuchNearerAndAboutAsFast) {
  const TargetFigures first{.sqnr_db = 17, .sqnr_interval = ConfidenceInterval{10, 19}, .speedup = kFaster};
  EXPECT_EQ(WhyNotInstead(first, {.sqnr_db = 20, .speedup = {.median = 1.4, .low = 1.3, .high = 1.5}}), "");
  EXPECT_EQ(WhyNotInstead(first, {.sqnr_db = 19.9, .speedup = kFaster}), "its SQNR is 19.9 dB");
  EXPECT_EQ(WhyNotInstead(first, {.sqnr_db = 30, .speedup = kEqual}),
            "it runs at 0.99 times the speed of float (0.90 to 1.10)");
}

TEST(WhyNotInstead, WithoutASpeedItHasToBeNearerByTenDecibels) {
  const ConfidenceInterval wide{10, 19};
  for (const Speedup& speedup : {Speedup{}, Busy(kSlower), kFaster}) {
    const TargetFigures first{.sqnr_db = 17, .sqnr_interval = wide, .speedup = speedup};
    EXPECT_EQ(WhyNotInstead(first, {.sqnr_db = 26.9, .speedup = Busy(kFaster)}), "its speed is not known");
    EXPECT_EQ(WhyNotInstead(first, {.sqnr_db = 27, .speedup = Busy(kFaster)}), "");
    EXPECT_EQ(WhyNotInstead(first, {.sqnr_db = 27}), "");
  }
}

}  // namespace
}  // namespace preon
