#include "base/file.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

namespace preon {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class FileTest : public ::testing::Test {
 protected:
  int Entries() const { return static_cast<int>(std::distance(fs::directory_iterator(dir_.path()), {})); }

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

TEST_F(FileTest, UntilCommitThereIsNoFile) {
  {
    AtomicFile file = *AtomicFile::Open(dir_.File("f"));
    ASSERT_TRUE(file.Write("half").ok());
    EXPECT_FALSE(fs::exists(dir_.File("f")));
    EXPECT_TRUE(fs::exists(file.temp_path()));
  }
  EXPECT_EQ(Entries(), 0);
  AtomicFile file = *AtomicFile::Open(dir_.File("f"));
  ASSERT_TRUE(file.Write("whole").ok());
  AtomicFile moved = std::move(file);
  ASSERT_TRUE(moved.Commit().ok());
  EXPECT_EQ(*ReadFile(dir_.File("f")), "whole");
  EXPECT_EQ(Entries(), 1);
}

TEST_F(FileTest, AnOldFileStaysUntilTheNewOneIsWhole) {
  ASSERT_TRUE(WriteFileAtomically(dir_.File("f"), "old").ok());
  AtomicFile file = *AtomicFile::Open(dir_.File("f"));
  ASSERT_TRUE(file.Write("new").ok());
  EXPECT_EQ(*ReadFile(dir_.File("f")), "old");
  ASSERT_TRUE(file.Commit().ok());
  EXPECT_EQ(*ReadFile(dir_.File("f")), "new");
}

TEST_F(FileTest, OutputsThatCantBeAreRefusedBeforeAnyWork) {
  EXPECT_EQ(AtomicFile::Open(dir_.File("absent/f")).status().id(), ErrorId::kOutputFolder);
  EXPECT_EQ(AtomicFile::Open(dir_.path()).status().id(), ErrorId::kIoWrite);
  ASSERT_EQ(mkfifo(dir_.File("pipe").c_str(), 0600), 0);
  EXPECT_EQ(AtomicFile::Open(dir_.File("pipe")).status().id(), ErrorId::kIoWrite);
  EXPECT_TRUE(fs::is_fifo(dir_.File("pipe")));
}

TEST_F(FileTest, AFullDiskIsAnErrorAndLeavesNothing) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  AtomicFile file = *AtomicFile::Open(dir_.File("f"));
  fs::remove(file.temp_path());
  fs::create_symlink("/dev/full", file.temp_path());
  AtomicFile full = *AtomicFile::Open(dir_.File("f"));  // the same temporary name: opens the device
  const Status status = full.Write("x");
  EXPECT_EQ(status.id(), ErrorId::kIoWrite);
  EXPECT_THAT(status.message(), HasSubstr("No space left"));
  EXPECT_FALSE(fs::exists(dir_.File("f")));
}

TEST_F(FileTest, LeftoversOfKilledProcessesGoThoseOfLivingStay) {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);  // a process id that is free again
  const std::string dead = dir_.File(".f.preon-tmp-" + std::to_string(child));
  const std::string living = dir_.File(".f.preon-tmp-" + std::to_string(getppid()));
  const std::string other = dir_.File(".g.preon-tmp-" + std::to_string(child));
  for (const std::string& path : {dead, living, other}) ASSERT_TRUE(WriteFileAtomically(path, "part").ok());
  ASSERT_TRUE(WriteFileAtomically(dir_.File("f"), "whole").ok());
  EXPECT_FALSE(fs::exists(dead));
  EXPECT_TRUE(fs::exists(living));
  EXPECT_TRUE(fs::exists(other));
}

TEST(TempDir, GoesWithAllItHolds) {
  std::string path;
  {
    const TempDir dir = *TempDir::Create(fs::temp_directory_path().string());
    path = dir.path();
    ASSERT_TRUE(fs::create_directories(dir.File("a/b")));
    ASSERT_TRUE(WriteFileAtomically(dir.File("a/b/c"), "x").ok());
  }
  EXPECT_FALSE(fs::exists(path));
  EXPECT_EQ(TempDir::Create("/no/such/folder").status().id(), ErrorId::kIoWrite);
}

}  // namespace
}  // namespace preon
