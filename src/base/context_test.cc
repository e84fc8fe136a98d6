#include "base/context.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

#include "base/hash.h"
#include "base/system.h"

namespace preon {
namespace {

TEST(RunContext, WithoutSinksNothingHappens) {
  const RunContext context;
  context.Log(LogLevel::kWarning, "no listener");
  context.Report({.stage = "calibrate"});
  EXPECT_TRUE(context.CheckCancelled().ok());
  EXPECT_EQ(context.ThreadCount(), AvailableCores());
  EXPECT_GE(context.ThreadCount(), 1);
}

TEST(RunContext, PassesOnToItsSinks) {
  std::vector<std::string> heard;
  RunContext context;
  context.tmp_dir = "/somewhere";
  context.log = [&](LogLevel, std::string_view message) { heard.emplace_back(message); };
  context.progress = [&](const Progress& progress) { heard.push_back(StrCat(progress.stage, " ", progress.done)); };
  context.Log(LogLevel::kInfo, "hello");
  context.Report({.stage = "calibrate", .done = 2});
  context.BeginStage("try");
  context.Quiet().BeginStage("compare");
  EXPECT_EQ(heard, (std::vector<std::string>{"hello", "calibrate 2", "try 0"}));
  EXPECT_EQ(context.TempDir(), "/somewhere");
}

TEST(RunContext, DebugMessagesAreForThoseWhoWantThem) {
  std::vector<std::string> heard;
  RunContext context;
  EXPECT_FALSE(context.Wants(LogLevel::kWarning)) << "no listener";
  context.log = [&](LogLevel, std::string_view message) { heard.emplace_back(message); };
  EXPECT_FALSE(context.Wants(LogLevel::kDebug));
  context.Debug("unheard");
  context.log_level = LogLevel::kDebug;
  EXPECT_TRUE(context.Wants(LogLevel::kDebug));
  context.Debug("pass ", std::string("fold"), ": ", 7, " -> ", size_t{5}, " nodes");
  context.Quiet().BeginStage("compare");
  context.DebugLines([] { return std::vector<std::string>{"one", "two"}; });
  context.log_level = LogLevel::kWarning;
  context.DebugLines([] {
    ADD_FAILURE() << "not wanted";
    return std::vector<std::string>();
  });
  context.Log(LogLevel::kInfo, "unheard");
  context.Log(LogLevel::kWarning, "loud");
  EXPECT_EQ(heard, (std::vector<std::string>{"pass fold: 7 -> 5 nodes", "stage compare", "one", "two", "loud"}));
}

TEST(RunContext, NeverMoreThreadsThanCores) {
  RunContext context;
  context.threads = 1;
  EXPECT_EQ(context.ThreadCount(), 1);
  context.threads = 4096;
  EXPECT_EQ(context.ThreadCount(), AvailableCores());
}

TEST(RunContext, CancelIsSeenAtOnce) {
  std::atomic<bool> cancel = false;
  RunContext context;
  context.cancel = &cancel;
  EXPECT_TRUE(context.CheckCancelled().ok());
  cancel = true;
  EXPECT_EQ(context.CheckCancelled().id(), ErrorId::kCancelled);
}

TEST(RunContext, ABadTmpdirVariableIsNoCrash) {
  const char* before = std::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  setenv("TMPDIR", "/no/such/folder", 1);
  EXPECT_EQ(RunContext().TempDir(), "/tmp");
  before == nullptr ? unsetenv("TMPDIR") : setenv("TMPDIR", kept.c_str(), 1);
}

TEST(System, MemoryFiguresFollowTheProcess) {
  EXPECT_GT(CurrentRssBytes(), 0);
  const std::vector<char> block(size_t{64} << 20, 'x');
  EXPECT_GT(CurrentRssBytes(), int64_t{block[7] == 'x' ? 64 : 0} << 20);
  EXPECT_GE(PeakRssBytes(), CurrentRssBytes() - (int64_t{1} << 20));  // the two are counted a moment apart
}

TEST(Sha256, KnownAnswersAndPieces) {
  EXPECT_EQ(Sha256Hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Sha256Hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  Sha256 pieces;
  pieces.Update("a");
  pieces.Update("");
  pieces.Update("bc");
  EXPECT_EQ(pieces.Finish(), Sha256Hex("abc"));
}

}  // namespace
}  // namespace preon
