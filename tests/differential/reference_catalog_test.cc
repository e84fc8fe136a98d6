// The catalog of the reference's keys against its stored option list.
#include "api/reference_catalog.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "api/reference_keys.h"
#include "differential/reference_vectors.h"

namespace preon {
namespace {

TEST(ReferenceCatalog, HoldsEveryKeyInItsGroup) {
  std::ifstream file(ReferenceVectors() / "options.json");
  if (!file) GTEST_SKIP() << "no " << ReferenceVectors() / "options.json" << " (set PREON_DATA)";
  std::set<std::pair<std::string, size_t>> wanted, got;
  const nlohmann::json stored = nlohmann::json::parse(file);
  for (const auto& [name, option] : stored["options"].items()) {
    if (name.find('.') != std::string::npos) continue;   // inside of a key's value
    const auto& category = option["category"];
    wanted.emplace(name, category.is_number() ? category.get<size_t>() - 1 : category == "algorithm" ? 11 : 12);
  }
  for (const CatalogKey& key : ReferenceCatalog()) got.emplace(key.name, static_cast<size_t>(key.category));
  EXPECT_EQ(got, wanted);
}

TEST(ReferenceCatalog, KeysThatAreMissingSaySoUnlessTheyAreOff) {
  size_t missing = 0;
  for (const CatalogKey& key : ReferenceCatalog()) {
    if (HasReferenceKey(key.name)) continue;
    ++missing;
    Options options;
    EXPECT_EQ(SetReferenceKey(options, std::string(key.name), "7").id(), ErrorId::kNotYetSupported) << key.name;
    const Status off = SetReferenceKey(options, std::string(key.name), "false");
    EXPECT_EQ(off.ok(), key.fallback != "true") << key.name << ": " << off.ToString();
  }
  EXPECT_GT(missing, 0u);
}

}  // namespace
}  // namespace preon
