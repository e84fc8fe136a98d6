#include "ir/input/external_hash.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.h"

namespace preon {
namespace {

class ExternalHash : public ::testing::Test {
 protected:
  std::string HashOf(const std::string& name) {
    const MappedFile file = MapFile(dir_.File(name)).value();
    return ContentHash(dir_.File(name), file.bytes);
  }
  void Write(const std::string& name, const std::string& bytes) {
    ASSERT_TRUE(WriteFileAtomically(dir_.File(name), bytes).ok());
  }
  TempDir dir_ = *TempDir::Create(::testing::TempDir());
};

TEST_F(ExternalHash, EveryByteCounts) {
  std::string bytes(size_t{20} << 20, 'a');  // more than two windows
  Write("a", bytes);
  Write("b", bytes);
  const std::string hash = HashOf("a");
  EXPECT_EQ(hash.size(), 32u);
  EXPECT_EQ(HashOf("b"), hash);
  for (const size_t at : {size_t{0}, (size_t{8} << 20) - 1, size_t{8} << 20, bytes.size() - 1}) {
    std::string changed = bytes;
    changed[at] = 'b';
    Write("b", changed);
    EXPECT_NE(HashOf("b"), hash) << at;
  }
}

// Same inode, same size, and the time set back: what the cache must not take for the same file.
TEST_F(ExternalHash, AFileChangedInPlaceIsReadAgain) {
  Write("a", "weights one");
  const std::string path = dir_.File("a"), hash = HashOf("a");
  const auto time = std::filesystem::last_write_time(path);
  FILE* file = std::fopen(path.c_str(), "r+");
  std::fputs("weights two", file);
  std::fclose(file);
  std::filesystem::last_write_time(path, time);
  EXPECT_NE(HashOf("a"), hash);
}

TEST_F(ExternalHash, EmptyFiles) {
  Write("a", "");
  EXPECT_EQ(HashOf("a"), HashOf("a"));
}

}  // namespace
}  // namespace preon
