#include "config/keys/algorithm_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/builtins.h"
#include "config/compound_options.h"
#include "config/option_table.h"
#include "config/resolve/resolve_options.h"

namespace preon {
namespace {

using ::testing::HasSubstr;
using ::testing::Pair;

TEST(AlgorithmSettings, NamesWithOptions) {
  Options options;
  ASSERT_TRUE(SetOption(options, "algorithm", "cle:steps=3,append-bias=false").ok());
  EXPECT_THAT(options.algorithms.asked.at("cle").values,
              testing::ElementsAre(Pair("append-bias", "false"), Pair("steps", "3")));
  ASSERT_TRUE(SetOption(options, "algorithm", "cross-layer-equalization").ok());
  EXPECT_EQ(options.algorithms.asked.size(), 1u);
}

TEST(AlgorithmSettings, Mistakes) {
  Options options;
  const auto says = [&](const std::string& text) { return SetOption(options, "algorithm", text).message(); };
  EXPECT_THAT(says("clee"), HasSubstr("did you mean 'cle'?"));
  EXPECT_THAT(says("cle:step=3"), HasSubstr("did you mean 'steps'?"));
  EXPECT_THAT(says("cle:steps=-2"), HasSubstr("steps: got '-2', wanted an integer of at least -1"));
  EXPECT_THAT(says("bias-correction:steps=2"), HasSubstr("it has none"));
}

TEST(AlgorithmSettings, AKeyCountsOverTheAlgorithmsOwnValue) {
  const Builtins builtins = MakeBuiltins();
  Options options;
  options.target = "quark";
  ASSERT_TRUE(SetOption(options, "algorithm", "cle:steps=3").ok());
  ASSERT_TRUE(SetKey(options, "CLESteps", "4").ok());
  EXPECT_EQ(Resolve(options, builtins)->algorithms.rewriting, "cle:steps=4");
}

TEST(AlgorithmSettings, AKeyAloneHasNoEffect) {
  const Builtins builtins = MakeBuiltins();
  Options options;
  options.target = "quark";
  ASSERT_TRUE(SetKey(options, "CLESteps", "1").ok());
  EXPECT_TRUE(Resolve(options, builtins).ok()) << "the default asks for nothing";
  ASSERT_TRUE(SetKey(options, "CLESteps", "4").ok());
  EXPECT_THAT(Resolve(options, builtins).status().message(),
              HasSubstr("CLESteps: has no effect without --algorithm cle"));
}

TEST(AlgorithmSettings, ADisabledAlgorithmThatIsAskedFor) {
  const Builtins builtins = MakeBuiltins();
  Options options;
  ASSERT_TRUE(SetOption(options, "algorithm", "cle").ok());
  ASSERT_TRUE(SetOption(options, "disable-algorithm", "cle").ok());
  EXPECT_THAT(Resolve(options, builtins).status().message(),
              HasSubstr("--algorithm cle: has no effect with --disable"));
}

}  // namespace
}  // namespace preon
