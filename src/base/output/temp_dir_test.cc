#include "base/output/temp_dir.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <thread>
#include <vector>

#include "base/output/atomic_file.h"

namespace preon {
namespace {

namespace fs = std::filesystem;

std::string SystemFolder() { return fs::temp_directory_path().string(); }

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

TEST(TempDir, ThoseOfKilledProcessesGoThoseOfLivingStay) {
  const TempDir parent = *TempDir::Create(SystemFolder());
  for (const char* name : {"preon-backup", "preon-0123456789abcdefg", "preon-0123456789ABCDEF"})
    fs::create_directory(parent.File(name));  // somebody else's
  int made[2];
  ASSERT_EQ(pipe(made), 0);
  const pid_t child = fork();
  if (child == 0) {
    const TempDir dir = *TempDir::Create(parent.path());
    const bool known = WriteFileAtomically(dir.File("f"), "x").ok() && write(made[1], "x", 1) == 1;
    while (known) pause();
    _exit(1);
  }
  char byte;
  ASSERT_EQ(read(made[0], &byte, 1), 1);
  const auto entries = [&] { return std::distance(fs::directory_iterator(parent.path()), fs::directory_iterator()); };
  { const TempDir dir = *TempDir::Create(parent.path()); }
  EXPECT_EQ(entries(), 4) << "its owner is alive";
  kill(child, SIGKILL);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  { const TempDir dir = *TempDir::Create(parent.path()); }
  EXPECT_EQ(entries(), 3);
}

TEST(TempDir, ManyAtOnce) {
  const TempDir parent = *TempDir::Create(SystemFolder());
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        const TempDir dir = *TempDir::Create(parent.path());
        const Status written = WriteFileAtomically(dir.File("f"), "x");
        EXPECT_TRUE(written.ok()) << written.ToString();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(fs::is_empty(parent.path()));
}

}  // namespace
}  // namespace preon
