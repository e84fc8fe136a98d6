// Progress on stderr: a bar on a terminal, plain lines at most once a second in a pipe, JSON lines with --json. A stage
// that has nothing to count, or counts slowly, is shown once a second with its time.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "base/context.h"
#include "cli/arguments.h"

namespace preon::cli {

class ProgressPrinter {
 public:
  /// @param to_parent  read by the process that started this one: at once, and the last state in any case
  ProgressPrinter(bool json, Verbosity verbosity, bool to_parent);
  ~ProgressPrinter();

  void Show(const Progress& progress);
  void Log(LogLevel level, std::string_view message);
  /// Takes the bar off the screen; before anything else is printed.
  void Clear();

 private:
  using Clock = std::chrono::steady_clock;
  enum class Form { kNone, kBar, kLines, kJson };

  void Print(Clock::time_point now);
  void ClearBar();
  void Tick();

  const Form form_;
  const bool to_parent_;
  std::mutex mutex_;  ///< of everything below
  std::string stage_;
  long long done_ = 0, total_ = 0;
  Clock::time_point stage_start_, last_shown_;
  bool bar_shown_ = false;
  bool not_shown_ = false;  ///< the last state, to a parent
  bool ended_ = false;
  std::condition_variable end_;
  std::thread ticker_;
};

}  // namespace preon::cli
