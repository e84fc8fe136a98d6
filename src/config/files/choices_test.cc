#include "config/files/choices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "config/option_groups.h"
#include "config/option_table.h"

namespace preon {
namespace {

using testing::Contains;
using testing::HasSubstr;

TEST(Choices, EveryOneIsAccepted) {
  const Builtins builtins = MakeBuiltins();
  for (const OptionSpec& option : OptionTable()) {
    for (const std::string& choice : ChoicesOf(option.name, builtins)) {
      if (choice.ends_with('=')) continue;
      Options options;
      const Status status = SetOption(options, option.name, choice);
      EXPECT_TRUE(status.ok()) << option.name << " " << choice << ": " << status.message();
    }
  }
}

// So a value that a parser learns is found here, too.
TEST(Choices, AreThoseThatTheParserNames) {
  const Builtins builtins = MakeBuiltins();
  for (const char* option : {"bfloat16", "float16", "format", "group-by", "memory", "weight-form"}) {
    Options options;
    const Status refused = SetOption(options, option, "no-such-value");
    ASSERT_FALSE(refused.ok()) << option;
    const bool is_name = option == std::string("weight-form");  // of a list
    EXPECT_EQ(refused.id(), is_name ? ErrorId::kUnknownOption : ErrorId::kBadOptionValue) << option;
    std::string named;
    const std::vector<std::string> choices = ChoicesOf(option, builtins);
    for (const std::string& choice : choices) EXPECT_THAT(refused.message(), HasSubstr(choice)) << option;
    size_t words = 1;
    const std::string list = refused.message().substr(refused.message().find(is_name ? "(known: " : "wanted "));
    for (const std::string_view separator : {", ", " or "})
      for (size_t at = list.find(separator); at != std::string::npos; at = list.find(separator, at + 1)) ++words;
    EXPECT_EQ(words, choices.size()) << option << ": " << list;
  }
}

TEST(Choices, ThoseOfPairsEndWithAnEqualsSign) {
  const Builtins builtins = MakeBuiltins();
  EXPECT_THAT(ChoicesOf("method-option", builtins), Contains("Percentile="));
  EXPECT_THAT(ChoicesOf("method-option", builtins), Contains("GraphAware="));
  EXPECT_THAT(ChoicesOf("option", builtins), Contains("CalibDataSize="));
  EXPECT_TRUE(ChoicesOf("samples", builtins).empty());
}

TEST(OptionGroups, HoldEveryOptionOnce) {
  std::set<std::string_view> seen;
  for (const OptionGroup& group : OptionGroups()) {
    for (const std::string_view name : group.names) EXPECT_TRUE(seen.insert(name).second) << name;
  }
  std::set<std::string_view> known = {"config", "json", "quiet", "verbose", "help"};
  for (const OptionSpec& option : OptionTable()) {
    if (option.help.empty()) continue;
    known.insert(option.name);
    EXPECT_NE(GroupOf(option.name), "") << option.name << " is in no group of option_groups.cc";
  }
  for (const std::string_view name : seen) EXPECT_TRUE(known.contains(name)) << name << " is no option";
}

}  // namespace
}  // namespace preon
