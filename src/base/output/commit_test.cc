#include "base/output/commit.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "base/file.h"
#include "base/output/side_file.h"
#include "base/output/temp_dir.h"

namespace preon {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class CommitTest : public ::testing::Test {
 protected:
  std::set<std::string> Names() const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(dir_.path())) names.insert(entry.path().filename().string());
    return names;
  }
  // A side file full of `digit`, and a model that names it.
  static std::string NameOf(char digit) { return "m." + std::string(16, digit) + ".data"; }
  static std::string ModelOf(char digit) { return "\x08 a model with weights in " + NameOf(digit); }
  Status Save(char digit, const std::vector<std::string>& inputs = {}) const {
    AtomicFile model = *StageFile(dir_.File("m"), ModelOf(digit));
    AtomicFile side = *StageFile(dir_.File("m"), std::string(100, digit));
    return CommitWithSideFile(model, &side, SideFilePath(dir_.File("m"), std::string(64, digit)), inputs);
  }

  TempDir dir_ = *TempDir::Create(fs::temp_directory_path().string());
};

TEST_F(CommitTest, OneThatOnlyTheReplacedModelNamedGoes) {
  ASSERT_TRUE(Save('a').ok());
  EXPECT_THAT(Names(), ElementsAre("m", NameOf('a')));
  ASSERT_TRUE(Save('a').ok());
  EXPECT_THAT(Names(), ElementsAre("m", NameOf('a')));
  ASSERT_TRUE(Save('b').ok());
  EXPECT_THAT(Names(), ElementsAre("m", NameOf('b')));
  AtomicFile whole = *StageFile(dir_.File("m"), "\x08 all in one");
  ASSERT_TRUE(CommitWithSideFile(whole, nullptr, "", {}).ok());
  EXPECT_THAT(Names(), ElementsAre("m"));
}

TEST_F(CommitTest, OneThatAnotherModelNamesStays) {
  ASSERT_TRUE(Save('a').ok());
  fs::copy_file(dir_.File("m"), dir_.File("m.bak"));
  ASSERT_TRUE(Save('b').ok());
  EXPECT_THAT(Names(), ElementsAre("m", NameOf('a'), "m.bak", NameOf('b')));
}

TEST_F(CommitTest, InputsStayAndSoDoesWhatIsNoSideFile) {
  ASSERT_TRUE(Save('a').ok());
  ASSERT_TRUE(Save('b', {dir_.File(NameOf('a'))}).ok());
  EXPECT_TRUE(fs::exists(dir_.File(NameOf('a'))));
  fs::create_hard_link(dir_.File(NameOf('b')), dir_.File("kept"));
  ASSERT_TRUE(Save('c').ok());
  EXPECT_TRUE(fs::exists(dir_.File(NameOf('b'))));
  std::ofstream(dir_.File("m"), std::ios::app) << " m.data m.notes";
  std::ofstream(dir_.File("m.data")) << "mine";
  ASSERT_TRUE(Save('d').ok());
  EXPECT_FALSE(fs::exists(dir_.File(NameOf('c'))));
  EXPECT_TRUE(fs::exists(dir_.File("m.data")));
}

TEST_F(CommitTest, ATakenNameIsAnErrorThatChangesNothing) {
  ASSERT_TRUE(Save('a').ok());
  std::ofstream(dir_.File(NameOf('b'))) << "other weights";
  const Status status = Save('b');
  EXPECT_EQ(status.id(), ErrorId::kIoWrite);
  EXPECT_THAT(status.message(), HasSubstr(NameOf('b')));
  EXPECT_EQ(*ReadFile(dir_.File("m")), ModelOf('a'));
  EXPECT_EQ(*ReadFile(dir_.File(NameOf('b'))), "other weights");
  EXPECT_THAT(Names(), ElementsAre("m", NameOf('a'), NameOf('b')));
}

TEST_F(CommitTest, OneWhoseModelWasNeverNamedGoesWithTheLeftover) {
  ASSERT_TRUE(Save('a').ok());
  // What a process leaves that was killed between the two names.
  std::ofstream(dir_.File(".m.preon-tmp-0123456789abcdef")) << ModelOf('b');
  std::ofstream(dir_.File(NameOf('b'))) << std::string(100, 'b');
  std::ofstream(dir_.File(".m.preon-tmp-fedcba9876543210")) << ModelOf('a');
  RemoveLeftovers(dir_.File("m"));
  EXPECT_THAT(Names(), ElementsAre("m", NameOf('a')));
}

TEST_F(CommitTest, WritersOfOneModelNeverLeaveItWithoutItsWeights) {
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 6; ++thread) {
    threads.emplace_back([&, thread] {
      for (int round = 0; round < 30; ++round) {
        const Status status = Save(static_cast<char>('a' + (thread + round) % 3));
        EXPECT_TRUE(status.ok()) << status.ToString();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const std::string model = *ReadFile(dir_.File("m"));
  const char digit = model[model.size() - 6];
  EXPECT_EQ(model, ModelOf(digit));
  EXPECT_EQ(*ReadFile(dir_.File(NameOf(digit))), std::string(100, digit));
  EXPECT_THAT(Names(), ElementsAre("m", NameOf(digit)));
}

TEST_F(CommitTest, OutputsOfOneRunAreThereTogetherOrNot) {
  std::ofstream(dir_.File("old")) << "old";
  const auto staged = [&] {
    std::vector<AtomicFile> files;
    for (const char* name : {"old", "new"}) files.push_back(*StageFile(dir_.File(name), "of this run"));
    return files;
  };
  std::vector<AtomicFile> files = staged();
  EXPECT_EQ(CommitAll(files, [] { return Error(ErrorId::kIoWrite, "full"); }).id(), ErrorId::kIoWrite);
  EXPECT_THAT(Names(), ElementsAre("old"));
  std::vector<AtomicFile> again = staged();
  EXPECT_TRUE(CommitAll(again, [] { return Status::Ok(); }).ok());
  EXPECT_THAT(Names(), ElementsAre("new", "old"));
}

}  // namespace
}  // namespace preon
