#include "config/resolve/resolve_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "config/option_table.h"
#include "formats/quark_operators.h"

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

TEST(Resolve, FitsBytesByDefaultWhereTheNumbersAreNoOtherTools) {
  const Builtins builtins = MakeBuiltins();
  const auto fits = [&](const std::string& target, const std::string& activation, const std::string& effort) {
    Options options;
    for (const auto& [option, value] : {std::pair<std::string, std::string>{"target", target},
                                        {"activation", activation},
                                        {"weight", "int8"},
                                        {"effort", effort}})
      EXPECT_TRUE(SetOption(options, option, value).ok());
    const Result<Choices> choices = Resolve(options, builtins);
    if (!choices.ok()) return false;
    return std::ranges::any_of(choices->algorithms.list,
                               [](const auto* algorithm) { return algorithm->name() == "adaquant"; });
  };
  for (const char* activation : {"uint8", "int16", "float16"}) {
    EXPECT_TRUE(fits("simulate", activation, "default")) << activation;
    EXPECT_FALSE(fits("simulate", activation, "fast")) << activation;
    EXPECT_FALSE(fits("quark", activation, "default")) << activation;
  }
}

TEST(Resolve, BFP16OfAQConfig) {
  const Builtins builtins = MakeBuiltins();
  const auto rounding = [&](bool by_qconfig, Compat compat, const char* attribute) {
    Options options;
    options.target = "quark";
    EXPECT_TRUE(SetOption(options, "activation", "bfp16").ok());
    options.types.by_qconfig = by_qconfig;
    options.plan.compat = compat;
    if (attribute != nullptr) {
      EXPECT_TRUE(SetOption(options, "bfp-attribute", attribute).ok());
    }
    const Result<Choices> choices = Resolve(options, builtins);
    EXPECT_TRUE(choices.ok()) << choices.status().message();
    return BfpAttributesOf(*choices->plan.activation.block()).rounding_mode;
  };
  EXPECT_EQ(rounding(true, Compat::kQuark, nullptr), 0);
  EXPECT_EQ(rounding(true, Compat::kQuark, "rounding_mode=2"), 2);
  EXPECT_EQ(rounding(true, Compat::kOff, nullptr), 2);
  EXPECT_EQ(rounding(false, Compat::kQuark, nullptr), 2);
}

// With --compat quark the target's rules read the stages; else they are passes that are off.
TEST(Resolve, StagesOfPreprocessing) {
  const Builtins builtins = MakeBuiltins();
  Options options;
  options.target = "quark";
  options.ranges.method = "minmax";
  options.plan.op_list.preprocessing = {.optimize = false, .fold_batch_norm = false};
  EXPECT_THAT(
      Resolve(options, builtins)->passes.disabled,
      testing::ElementsAre("fold_affine", "fold_batch_norm", "fold_constants", "fold_shapes", "remove_identity"));
  options.plan.op_list.preprocessing = {.skip = true};
  EXPECT_THAT(Resolve(options, builtins)->passes.disabled, testing::IsSupersetOf({"fold_pad", "remove_dead"}));
  options.plan.compat = Compat::kQuark;
  EXPECT_THAT(Resolve(options, builtins)->passes.disabled, IsEmpty());
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
