#include "base/file.h"

#include <gmock/gmock.h>

#include <cstring>
#include <filesystem>
#include <functional>

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

// KiB of files that are mapped into this process and in memory.
int64_t MappedKib() {
  const std::string status = *ReadFile("/proc/self/status");
  return std::stoll(status.substr(status.find("RssFile:") + 8));
}

TEST_F(FileTest, ForgottenFilesLeaveMemoryAndComeBack) {
  const std::string text(size_t{96} << 20, 'x');
  ASSERT_TRUE(WriteFileAtomically(dir_.File("f"), text).ok());
  const MappedFile mapped = *MapFile(dir_.File("f"));
  for (const auto& forget :
       {std::function<void()>(ForgetMappedFiles), std::function<void()>([&] { HasReadMapped(mapped.bytes.size()); })}) {
    EXPECT_EQ(std::memcmp(mapped.bytes.data(), text.data(), text.size()), 0);
    const int64_t read = MappedKib();
    forget();
    EXPECT_LT(MappedKib(), read - (int64_t{80} << 10));
  }
  const int64_t before = MappedKib();
  HasReadMapped(1);  // too little to matter
  EXPECT_EQ(std::memcmp(mapped.bytes.data(), text.data(), text.size()), 0);
  HasReadMapped(1);
  EXPECT_GT(MappedKib(), before + (int64_t{80} << 10));
}

TEST_F(FileTest, SaysThatThereIsNoFile) {
  for (const Status& status : {ReadFile(dir_.File("absent")).status(), MapFile(dir_.File("absent")).status()}) {
    EXPECT_EQ(status.id(), ErrorId::kFileNotFound);
    EXPECT_THAT(status.message(), HasSubstr("absent: no such file"));
  }
  const Status folder = ReadFile(dir_.path()).status();
  EXPECT_EQ(folder.id(), ErrorId::kFileNotFound);
  EXPECT_THAT(folder.message(), HasSubstr("is a folder; wanted a file"));
}

TEST_F(FileTest, ReadErrorsSayTheSystemsReason) {
  const Status status = ReadFile(std::string(5000, 'x')).status();
  EXPECT_EQ(status.id(), ErrorId::kIoRead);
  EXPECT_THAT(status.message(), HasSubstr("can't read: File name too long"));
}

}  // namespace
}  // namespace preon
