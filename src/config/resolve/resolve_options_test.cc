#include "config/resolve/resolve_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/option_table.h"

namespace preon {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Both ways in which `auto` comes down to one method: asked for, and found out later.
TEST(Resolve, AutoWithoutTrialsHonoursItsOptions) {
  const Builtins builtins = MakeBuiltins();
  for (const auto& [given, graph_aware] :
       {std::pair("", true), std::pair("GraphAware=false", false), std::pair("graphaware=false", false)}) {
    for (const char* effort : {"default", "fast"}) {
      Options options;
      ASSERT_TRUE(SetOption(options, "effort", effort).ok());
      if (*given != '\0') {
        ASSERT_TRUE(SetOption(options, "method-option", given).ok());
      }
      const Result<Choices> choices = Resolve(options, builtins);
      ASSERT_TRUE(choices.ok()) << choices.status().message();
      const auto single = choices->without_trials();
      ASSERT_TRUE(single.ok()) << single.status().message();
      EXPECT_EQ((*single)->name(), "minmse");
      EXPECT_EQ((*single)->graph_aware(), graph_aware) << given;
      EXPECT_EQ(choices->method->name(), options.ranges.effort == Effort::kFast ? "minmse" : "auto");
      EXPECT_EQ(choices->method->graph_aware(), graph_aware) << given << " " << effort;
    }
  }
}

TEST(Resolve, WarnsOfAlgorithmsOfAQConfigThatHaveNoPart) {
  const Builtins builtins = MakeBuiltins();
  Options options;
  options.target = "quark";
  options.algorithms.asked["bias-correction"].by_config = true;
  EXPECT_THAT(Resolve(options, builtins)->warnings, IsEmpty());
  options.plan.compat = Compat::kQuark;
  options.ranges.method = "minmax";
  const Result<Choices> compatible = Resolve(options, builtins);
  ASSERT_TRUE(compatible.ok()) << compatible.status().message();
  ASSERT_EQ(compatible->warnings.size(), 1u);
  EXPECT_EQ(compatible->warnings[0], "algo_config: algorithm bias-correction has no effect with --compat quark");
  options.plan.compat = Compat::kOff;
  options.algorithms.disabled = {"bias-correction"};
  EXPECT_THAT(Resolve(options, builtins)->warnings.at(0), HasSubstr("with --disable-algorithm bias-correction"));
}

}  // namespace
}  // namespace preon
