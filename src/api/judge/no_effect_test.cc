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
  SettingOrigins origins;
  const std::string option = WarningOfLargeBlocks(32, origins, false, 1000, 1001);
  EXPECT_THAT(option, HasSubstr("--block-size 32: the file is no smaller than that of the float model: 1001 bytes "
                                "instead of 1000"));
  EXPECT_THAT(option, HasSubstr("leave --block-size out"));
  EXPECT_EQ(WarningOfLargeBlocks(32, origins, false, 1000, 400), "");
  EXPECT_EQ(WarningOfLargeBlocks(0, origins, false, 1000, 1001), "");
  origins.key_of["block-size"] = "UseMatMulNBits";
  EXPECT_THAT(WarningOfLargeBlocks(128, origins, true, 1000, 1001),
              AllOf(HasSubstr("UseMatMulNBits, blocks of 128: the file"), HasSubstr("matrices are so small")));
}

}  // namespace
}  // namespace preon
