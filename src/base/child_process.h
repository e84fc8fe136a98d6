// ChildProcess: a program that this process starts, listens to, and takes along when it ends.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"

namespace preon {

/// How a process ended.
struct ChildEnd {
  int exit_status = 0;
  int signal = 0;  ///< that killed it, or 0
};

/// "exit status 3", "signal 9 (Killed)".
std::string EndText(const ChildEnd& end);

/// The program's output and errors come as one stream of lines. It is killed when this process ends, however that
/// happens, and by the destructor. Start it from a thread that lives as long as it: with that thread it ends, too.
class ChildProcess {
 public:
  /// @param arguments  the first one is the program's path. Errors: kWorkerStart.
  static Result<ChildProcess> Start(const std::vector<std::string>& arguments);
  ChildProcess(ChildProcess&&) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  ~ChildProcess();

  pid_t pid() const { return pid_; }
  /// Appends the whole lines that have come since; does not wait. False once there will be no more.
  bool ReadLines(std::vector<std::string>& lines);
  void Send(int signal) const;
  /// Waits for the end; once.
  ChildEnd Wait();

  /// Waits until one of them has something to read or has ended, or the time is over.
  static void WaitForAny(std::span<const ChildProcess* const> children, std::chrono::milliseconds longest);

 private:
  ChildProcess() = default;

  pid_t pid_ = -1;  // until waited for
  int fd_ = -1;
  std::string unfinished_;  // the line that is coming
};

/// Resident sets of all processes that this one has started and that still run; 0 where the system does not tell.
int64_t ChildrenRssBytes();

}  // namespace preon
