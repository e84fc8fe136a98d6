#include "instrument/output_name.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/file.h"

namespace preon {
namespace {

TEST(OutputName, Fields) {
  EXPECT_EQ(FillPattern("/a/b-%p.calib"), "/a/b-" + std::to_string(getpid()) + ".calib");
  EXPECT_EQ(FillPattern("/a/100%%.calib"), "/a/100%.calib");
  EXPECT_EQ(FillPattern("b.calib"), (std::filesystem::current_path() / "b.calib").string());
  EXPECT_TRUE(HasFields("a-%p.calib"));
  EXPECT_TRUE(HasFields("%h.calib"));
  EXPECT_FALSE(HasFields("a.calib"));
}

TEST(OutputName, UnknownFieldsAreRefused) {
  EXPECT_TRUE(CheckOutputPattern("a-%p-%h-%%.calib").ok());
  for (const char* pattern : {"a-%d.calib", "a%", "%%%"}) {
    EXPECT_EQ(CheckOutputPattern(pattern).id(), ErrorId::kBadOptionValue) << pattern;
  }
}

TEST(OutputName, FreePaths) {
  const TempDir folder = TempDir::Create(::testing::TempDir()).value();
  const std::string name = folder.File("a.calib");
  EXPECT_EQ(FreePath(name, {}, true), name);
  EXPECT_EQ(FreePath(name, {name}, false), folder.File("a-2.calib"));
  EXPECT_EQ(FreePath(name, {name, folder.File("a-2.calib")}, false), folder.File("a-3.calib"));
  ASSERT_TRUE(WriteFileAtomically(name, "there").ok());
  EXPECT_EQ(FreePath(name, {}, false), name);
  EXPECT_EQ(FreePath(name, {}, true), folder.File("a-2.calib"));
}

}  // namespace
}  // namespace preon
