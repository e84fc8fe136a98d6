#include "api/judge/no_effect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace preon {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(NoEffect, AnAlgorithmThatWasAskedForAndFindsNoLayer) {
  const ImprovedCodes unused{.algorithm = "gptq"}, refused{.algorithm = "gptq", .why_not = "needs --data"};
  const ImprovedCodes busy{.algorithm = "gptq", .layers_kept = 1};
  EXPECT_THAT(WarningsOfUnusedAlgorithms({unused}, {{"gptq", {}}}),
              ElementsAre(HasSubstr("--algorithm gptq: has no effect")));
  EXPECT_THAT(WarningsOfUnusedAlgorithms({unused}, {{"gptq", {.by_default = true}}}), IsEmpty());
  EXPECT_THAT(WarningsOfUnusedAlgorithms({unused}, {}), IsEmpty());
  EXPECT_THAT(WarningsOfUnusedAlgorithms({refused, busy}, {{"gptq", {}}}), IsEmpty());
}

TEST(NoEffect, BlocksThatSaveNothing) {
  EXPECT_THAT(WarningOfLargeBlocks(32, 1000, 1001), HasSubstr("1001 bytes instead of 1000"));
  EXPECT_EQ(WarningOfLargeBlocks(32, 1000, 400), "");
  EXPECT_EQ(WarningOfLargeBlocks(0, 1000, 1001), "");
}

}  // namespace
}  // namespace preon
