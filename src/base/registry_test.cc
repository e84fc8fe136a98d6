#include "base/registry.h"

#include <gmock/gmock.h>

namespace preon {
namespace {

using ::testing::HasSubstr;

struct Method {
  std::string own_name;
  std::vector<std::string_view> other_names;
  std::string_view name() const { return own_name; }
  std::vector<std::string_view> aliases() const { return other_names; }
  std::string_view summary() const { return "a method"; }
};

class RegistryTest : public ::testing::Test {
 protected:
  RegistryTest() {
    Add("percentile", {"CalibMethod.Percentile"});
    Add("minmax", {"MinMax"});
  }
  void Add(const std::string& name, std::vector<std::string_view> aliases) {
    registry_.Add(std::make_unique<Method>(Method{name, std::move(aliases)}));
  }
  Registry<Method> registry_{"method"};
};

TEST_F(RegistryTest, FindsByNameAndAliasInAnyCase) {
  EXPECT_EQ((*registry_.Find("minmax"))->own_name, "minmax");
  EXPECT_EQ((*registry_.Find("MINMAX"))->own_name, "minmax");
  EXPECT_EQ((*registry_.Find("calibmethod.percentile"))->own_name, "percentile");
}

TEST_F(RegistryTest, AnUnknownNameGetsTheNearestAndTheList) {
  const Status status = registry_.Find("minmx").status();
  EXPECT_EQ(status.id(), ErrorId::kUnknownOption);
  EXPECT_THAT(status.message(), HasSubstr("unknown method 'minmx'; did you mean 'minmax'?"));
  EXPECT_THAT(status.message(), HasSubstr("percentile, minmax"));
  EXPECT_EQ(registry_.Find("").status().id(), ErrorId::kUnknownOption);
}

TEST_F(RegistryTest, KeepsTheOrderOfAdding) {
  ASSERT_EQ(registry_.entries().size(), 2u);
  EXPECT_EQ(registry_.entries()[0]->own_name, "percentile");
}

TEST_F(RegistryTest, ANameCanBeTakenOnce) {
  EXPECT_THROW(Add("MinMax", {}), InternalError);
  EXPECT_THROW(Add("fresh", {"percentile"}), InternalError);
  EXPECT_EQ(registry_.entries().size(), 2u);
}

}  // namespace
}  // namespace preon
