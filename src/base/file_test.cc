#include "base/file.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "base/output/atomic_file.h"
#include "base/output/temp_dir.h"

namespace preon {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class FileTest : public ::testing::Test {
 protected:
  TempDir dir_ = *TempDir::Create(fs::temp_directory_path().string());
};

TEST_F(FileTest, WhatIsWrittenIsReadAndMapped) {
  const std::string text = std::string("a\0b", 3) + std::string(100000, 'x');
  ASSERT_TRUE(WriteFileAtomically(dir_.File("f"), text).ok());
  EXPECT_EQ(*ReadFile(dir_.File("f")), text);
  const MappedFile mapped = *MapFile(dir_.File("f"));
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(mapped.bytes.data()), mapped.bytes.size()), text);
}

TEST_F(FileTest, AnEmptyFileIsNoError) {
  ASSERT_TRUE(WriteFileAtomically(dir_.File("f"), "").ok());
  EXPECT_EQ(*ReadFile(dir_.File("f")), "");
  EXPECT_TRUE(MapFile(dir_.File("f"))->bytes.empty());
}

TEST_F(FileTest, AMappingOutlivesTheFilesName) {
  ASSERT_TRUE(WriteFileAtomically(dir_.File("f"), "before").ok());
  const MappedFile mapped = *MapFile(dir_.File("f"));
  ASSERT_TRUE(WriteFileAtomically(dir_.File("f"), "after!").ok());
  EXPECT_EQ(mapped.bytes[0], std::byte{'b'});
}

TEST_F(FileTest, ReadErrorsSayTheSystemsReason) {
  for (const Status& status : {ReadFile(dir_.File("absent")).status(), MapFile(dir_.File("absent")).status()}) {
    EXPECT_EQ(status.id(), ErrorId::kIoRead);
    EXPECT_THAT(status.message(), HasSubstr("absent: can't read: No such file"));
  }
  EXPECT_EQ(ReadFile(dir_.path()).status().id(), ErrorId::kIoRead);
}

}  // namespace
}  // namespace preon
