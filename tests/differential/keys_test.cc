// The description of Quark's keys against its stored option list.
#include "config/keys/keys.h"
#include "config/compound_options.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "differential/quark_vectors.h"

namespace preon {
namespace {

std::vector<const KeySpec*> AllKeys() {
  std::vector<const KeySpec*> keys;
  for (size_t group = 0; group < kKeyGroups.size(); ++group) {
    for (const KeySpec& key : KeysOf(static_cast<KeyGroup>(group))) keys.push_back(&key);
  }
  return keys;
}

TEST(Keys, EveryOneOfQuarkIsDescribedInItsGroupWithItsDefault) {
  std::ifstream file(QuarkVectors() / "options.json");
  ASSERT_TRUE(file) << QuarkVectors();
  const nlohmann::json stored = nlohmann::json::parse(file);
  std::set<std::tuple<std::string, size_t, std::string>> wanted, got;
  for (const auto& [name, option] : stored["options"].items()) {
    const auto& category = option["category"];
    // Here an option of the algorithm that reads it.
    const bool of_algorithm = category == "algorithm" || name == "ReplaceClip6Relu";
    wanted.emplace(name,
                   of_algorithm           ? 11
                   : category.is_number() ? category.get<size_t>() - 1
                                          : 12,
                   option["default"].dump());
  }
  for (size_t group = 0; group < kKeyGroups.size(); ++group) {
    for (const KeySpec& key : KeysOf(static_cast<KeyGroup>(group))) {
      if (!key.ours) got.emplace(key.name, group, nlohmann::json::parse(key.fallback).dump());
    }
  }
  EXPECT_EQ(got, wanted);
}

TEST(Keys, EveryFlagMayBeOnOrOff) {
  for (const KeySpec* key : AllKeys()) {
    if (key->type != KeyType::kFlag || key->name.find('.') != std::string_view::npos) continue;
    for (const char* value : {"true", "false"}) {
      Options options;
      const Status set = SetKey(options, std::string(key->name), value);
      EXPECT_TRUE(set.ok()) << key->name << "=" << value << ": " << set.ToString();
    }
  }
}

// None is the default of every key.
TEST(Keys, NoneIsTheDefault) {
  for (const KeySpec* key : AllKeys()) {
    if (key->name.find('.') != std::string_view::npos) continue;
    Options options;
    EXPECT_TRUE(SetKey(options, std::string(key->name), "None").ok()) << key->name;
    EXPECT_TRUE(options.given.settings.empty() && options.given.op_list_settings.empty()) << key->name;
  }
}

}  // namespace
}  // namespace preon
