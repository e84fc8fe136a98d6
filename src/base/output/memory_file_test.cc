#include "base/output/memory_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>

#include "base/context.h"
#include "base/file.h"
#include "base/output/atomic_file.h"
#include "base/output/temp_dir.h"

namespace preon {
namespace {

TEST(MemoryFile, IsWrittenAndReadByItsPath) {
  std::optional<MemoryFile> file = *MemoryFile::Create();
  const std::string path = file->path();
  EXPECT_TRUE(IsMemoryFile(path));
  ASSERT_TRUE(WriteFileAtomically(path, "longer").ok());
  ASSERT_TRUE(WriteFileAtomically(path, "text").ok());
  EXPECT_EQ(*ReadFile(path), "text");
  const MappedFile mapped = *MapFile(path);
  EXPECT_EQ(mapped.bytes.size(), 4u);
  EXPECT_EQ(std::filesystem::file_size(path), 4u);
  file.reset();
  EXPECT_FALSE(IsMemoryFile(path));
}

TEST(MemoryFile, OthersAreNone) {
  const TempDir folder = *TempDir::Create(RunContext().TempDir());
  ASSERT_TRUE(WriteFileAtomically(folder.File("x"), "x").ok());
  const Descriptor opened = OpenForReading(folder.File("x"));
  for (const std::string& path : {folder.File("x"), StrCat("/proc/self/fd/", opened.get()), std::string(),
                                  std::string("/proc/self/fd/"), std::string("/proc/self/fd/1000000")})
    EXPECT_FALSE(IsMemoryFile(path)) << path;
}

TEST(MemoryFile, IsWhatTemporaryFilesAreInMemory) {
  std::string path;
  {
    TempDir made = *TempDir::Create(std::string(kInMemory));
    const TempDir folder = std::move(made);
    path = folder.File("a");
    EXPECT_TRUE(IsMemoryFile(path));
    EXPECT_EQ(folder.File("a"), path);
    EXPECT_NE(folder.File("b"), path);
    ASSERT_TRUE(WriteFileAtomically(path, "x").ok());
    EXPECT_EQ(*ReadFile(folder.File("a")), "x");
  }
  EXPECT_FALSE(IsMemoryFile(path));
  EXPECT_FALSE(std::filesystem::exists(kInMemory));
}

}  // namespace
}  // namespace preon
