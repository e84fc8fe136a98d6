// Progress on stderr: a bar on a terminal, plain lines at most once a second in a pipe, JSON lines with --json.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/context.h"
#include "cli/arguments.h"

namespace preon::cli {

class ProgressPrinter {
 public:
  ProgressPrinter(bool json, Verbosity verbosity);
  ~ProgressPrinter() { Clear(); }

  void Show(const Progress& progress);
  void Log(LogLevel level, std::string_view message);
  /// Takes the bar off the screen; before anything else is printed.
  void Clear();

 private:
  using Clock = std::chrono::steady_clock;
  enum class Form { kNone, kBar, kLines, kJson };

  Form form_;
  Verbosity verbosity_;
  std::string stage_;
  Clock::time_point stage_start_, last_shown_;
  bool bar_shown_ = false;
};

}  // namespace preon::cli
