// Progress on stderr: a bar on a terminal, plain lines at most once a second in a pipe, JSON lines with --json.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

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

  void ShowJson(const Progress& progress, double seconds) const;

  Form form_;
  Verbosity verbosity_;
  std::string stage_;
  Clock::time_point stage_start_, last_shown_;
  bool bar_shown_ = false;
  const bool to_parent_;
  std::optional<Progress> not_shown_;
};

}  // namespace preon::cli
