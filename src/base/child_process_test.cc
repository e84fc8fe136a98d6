#include "base/child_process.h"

#include <gtest/gtest.h>
#include <signal.h>

namespace preon {
namespace {

std::vector<std::string> AllLines(ChildProcess& child) {
  std::vector<std::string> lines;
  while (child.ReadLines(lines)) {
    const ChildProcess* const children[] = {&child};
    ChildProcess::WaitForAny(children, std::chrono::milliseconds(1000));
  }
  return lines;
}

TEST(ChildProcess, LinesOfBothStreamsAndTheExitStatus) {
  auto child = ChildProcess::Start({"/bin/sh", "-c", "echo one; echo two >&2; printf three; exit 3"});
  ASSERT_TRUE(child.ok()) << child.status().ToString();
  EXPECT_EQ(AllLines(*child), (std::vector<std::string>{"one", "two", "three"}));
  const ChildEnd end = child->Wait();
  EXPECT_EQ(end.exit_status, 3);
  EXPECT_EQ(EndText(end), "exit status 3");
}

TEST(ChildProcess, KilledBySignal) {
  auto child = ChildProcess::Start({"/bin/sh", "-c", "sleep 60"});
  ASSERT_TRUE(child.ok());
  child->Send(SIGTERM);
  const ChildEnd end = child->Wait();
  EXPECT_EQ(end.signal, SIGTERM);
  EXPECT_EQ(EndText(end), "signal 15 (Terminated)");
}

TEST(ChildProcess, TheDestructorEndsIt) {
  pid_t pid = -1;
  {
    auto child = ChildProcess::Start({"/bin/sh", "-c", "sleep 60"});
    ASSERT_TRUE(child.ok());
    pid = child->pid();
    EXPECT_EQ(kill(pid, 0), 0);
  }
  EXPECT_EQ(kill(pid, 0), -1);
}

TEST(ChildProcess, NoSuchProgram) {
  const auto child = ChildProcess::Start({"/nowhere/preon"});
  ASSERT_FALSE(child.ok());
  EXPECT_EQ(child.status().id(), ErrorId::kWorkerStart);
}

}  // namespace
}  // namespace preon
