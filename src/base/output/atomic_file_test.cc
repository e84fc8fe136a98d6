#include "base/output/atomic_file.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "base/file.h"
#include "base/output/temp_dir.h"

namespace preon {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class AtomicFileTest : public ::testing::Test {
 protected:
  int Entries() const { return static_cast<int>(Names().size()); }
  std::set<std::string> Names() const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(dir_.path())) names.insert(entry.path().filename().string());
    return names;
  }
  static void Make(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

  TempDir dir_ = *TempDir::Create(fs::temp_directory_path().string());
};

TEST_F(AtomicFileTest, UntilCommitThereIsNoFile) {
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

TEST_F(AtomicFileTest, ANewNameReplacesNothing) {
  ASSERT_TRUE(WriteFileAtomically(dir_.File("taken"), "same").ok());
  fs::create_symlink(dir_.File("nothing"), dir_.File("link"));
  AtomicFile file = *AtomicFile::Open(dir_.File("f"));
  ASSERT_TRUE(file.Write("same").ok());
  EXPECT_FALSE(*file.CommitNew(dir_.File("taken")));
  EXPECT_FALSE(*file.CommitNew(dir_.File("link")));
  EXPECT_EQ(file.CommitNew(dir_.File("missing/f")).status().id(), ErrorId::kIoWrite);
  EXPECT_TRUE(*file.CommitNew(dir_.File("f")));
  EXPECT_THAT(Names(), ElementsAre("f", "link", "taken"));
}

TEST_F(AtomicFileTest, AnOldFileStaysUntilTheNewOneIsWhole) {
  ASSERT_TRUE(WriteFileAtomically(dir_.File("f"), "old").ok());
  AtomicFile file = *AtomicFile::Open(dir_.File("f"));
  ASSERT_TRUE(file.Write("new").ok());
  EXPECT_EQ(*ReadFile(dir_.File("f")), "old");
  ASSERT_TRUE(file.Commit().ok());
  EXPECT_EQ(*ReadFile(dir_.File("f")), "new");
}

TEST_F(AtomicFileTest, OutputsThatCantBeAreRefusedBeforeAnyWork) {
  EXPECT_EQ(AtomicFile::Open(dir_.File("absent/f")).status().id(), ErrorId::kOutputFolder);
  EXPECT_EQ(AtomicFile::Open(dir_.path()).status().id(), ErrorId::kIoWrite);
  ASSERT_EQ(mkfifo(dir_.File("pipe").c_str(), 0600), 0);
  EXPECT_EQ(AtomicFile::Open(dir_.File("pipe")).status().id(), ErrorId::kIoWrite);
  EXPECT_TRUE(fs::is_fifo(dir_.File("pipe")));
}

TEST_F(AtomicFileTest, AFileThatMayNotGrowIsAnErrorAndLeavesNothing) {
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const struct rlimit limit = {.rlim_cur = 1000, .rlim_max = 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    const Status status = WriteFileAtomically(dir_.File("f"), std::string(2000, 'x'));
    _exit(status.id() == ErrorId::kIoWrite ? 0 : 1);
  }
  int status = 1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(Entries(), 0);
}

TEST_F(AtomicFileTest, LeftoversOfKilledProcessesGoThoseOfLivingStay) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    AtomicFile file = *AtomicFile::Open(dir_.File("f"));
    if (!file.Write("half").ok() || write(ready[1], "x", 1) != 1) _exit(1);
    while (true) pause();
  }
  char byte;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  RemoveLeftovers(dir_.File("f"));
  EXPECT_EQ(Entries(), 1) << "its writer is alive";
  kill(child, SIGKILL);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  const std::string other = dir_.File(".g.preon-tmp-0123456789abcdef");
  Make(other, "of another file");
  ASSERT_TRUE(WriteFileAtomically(dir_.File("f"), "whole").ok());
  EXPECT_THAT(Names(), ElementsAre(fs::path(other).filename().string(), "f"));
}

TEST_F(AtomicFileTest, WritersOfOneProcessDoNotMeet) {
  constexpr int kThreads = 8, kRounds = 40;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      const std::string text(10000 + thread, static_cast<char>('a' + thread));
      for (int round = 0; round < kRounds; ++round) {
        const Status status = WriteFileAtomically(dir_.File("f"), text);
        EXPECT_TRUE(status.ok()) << status.ToString();
        const std::string seen = *ReadFile(dir_.File("f"));
        EXPECT_EQ(seen, std::string(10000 + (seen[0] - 'a'), seen[0]));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Entries(), 1);
}

TEST_F(AtomicFileTest, PlantedLinksAreNotFollowed) {
  Make(dir_.File("precious"), "precious");
  const std::string guessed = ".f.preon-tmp-" + std::to_string(getpid());
  fs::create_symlink("precious", dir_.File(guessed));
  mkfifo(dir_.File(".f.preon-tmp-1").c_str(), 0600);
  ASSERT_TRUE(WriteFileAtomically(dir_.File("f"), "new").ok());
  EXPECT_EQ(*ReadFile(dir_.File("precious")), "precious");
  EXPECT_TRUE(fs::is_symlink(dir_.File(guessed))) << "no file of ours";
  const AtomicFile one = *AtomicFile::Open(dir_.File("f")), other = *AtomicFile::Open(dir_.File("f"));
  EXPECT_NE(one.temp_path(), other.temp_path());
}

TEST_F(AtomicFileTest, TheFileBehindALinkIsWritten) {
  fs::create_directory(dir_.File("there"));
  fs::create_symlink("there/f", dir_.File("link"));
  ASSERT_TRUE(WriteFileAtomically(dir_.File("link"), "new").ok());
  EXPECT_TRUE(fs::is_symlink(dir_.File("link")));
  EXPECT_EQ(*ReadFile(dir_.File("there/f")), "new");
}

TEST_F(AtomicFileTest, LinksThatGoRoundInACircleAreRefused) {
  fs::create_symlink("b", dir_.File("a"));
  fs::create_symlink("a", dir_.File("b"));
  const Status status = WriteFileAtomically(dir_.File("a"), "x");
  EXPECT_EQ(status.id(), ErrorId::kIoWrite);
  EXPECT_THAT(status.message(), HasSubstr("symbolic links form a loop"));
  EXPECT_TRUE(fs::is_symlink(dir_.File("a")));
  EXPECT_EQ(Entries(), 2);
}

TEST_F(AtomicFileTest, LongNames) {
  const std::string name(255, 'n');
  ASSERT_TRUE(WriteFileAtomically(dir_.File(name), "x").ok());
  EXPECT_THAT(Names(), ElementsAre(name));
}

TEST_F(AtomicFileTest, CommitAsTakesNoNameThatIsTaken) {
  Make(dir_.File("other"), "other");
  Make(dir_.File("same"), "bytes");
  fs::create_symlink("same", dir_.File("link"));
  for (const char* taken : {"other", "link"}) {
    AtomicFile file = *StageFile(dir_.File("f"), "bytes");
    const Status status = file.CommitAs(dir_.File(taken));
    EXPECT_EQ(status.id(), ErrorId::kIoWrite);
    EXPECT_THAT(status.message(), HasSubstr("another file has this name"));
  }
  EXPECT_EQ(*ReadFile(dir_.File("other")), "other");
  AtomicFile same = *StageFile(dir_.File("f"), "bytes");
  EXPECT_TRUE(same.CommitAs(dir_.File("same")).ok());
  same.Undo();
  EXPECT_TRUE(fs::exists(dir_.File("same"))) << "was there before";
  EXPECT_EQ(Entries(), 3);
}

}  // namespace
}  // namespace preon
