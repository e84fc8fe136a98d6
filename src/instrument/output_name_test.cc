#include "instrument/output_name.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/hash.h"
#include "base/output/atomic_file.h"
#include "base/output/temp_dir.h"

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

// Not even the hash is the model's to choose.
TEST(OutputName, FoldersGetNamesMadeOfAHash) {
  const TempDir folder = TempDir::Create(::testing::TempDir()).value();
  const std::string name = OutputPattern(folder.path(), "../authorized_keys").value();
  EXPECT_EQ(std::filesystem::path(name).parent_path(), folder.path());
  EXPECT_EQ(std::filesystem::path(name).filename(), Sha256Hex("../authorized_keys").substr(0, 16) + "-%p.calib");
  EXPECT_NE(OutputPattern(folder.path(), "another").value(), name);
  EXPECT_TRUE(OutputPattern("not-there/", "d").value().starts_with("not-there/"));
  EXPECT_EQ(OutputPattern("a-%p.calib", "d").value(), "a-%p.calib");
  EXPECT_EQ(OutputPattern("a-%d.calib", "d").status().id(), ErrorId::kBadOptionValue);
  std::filesystem::create_directory(folder.File("100%"));
  EXPECT_TRUE(FillPattern(OutputPattern(folder.File("100%"), "d").value()).starts_with(folder.File("100%") + "/"));
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
  std::filesystem::create_symlink(folder.File("nothing"), folder.File("a-2.calib"));
  EXPECT_EQ(FreePath(name, {}, true), folder.File("a-3.calib"));
}

}  // namespace
}  // namespace preon
