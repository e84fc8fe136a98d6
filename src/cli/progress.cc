#include "cli/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "base/child_process.h"
#include "base/system.h"
#include "base/text.h"

namespace preon::cli {
namespace {

constexpr int kBarWidth = 24;

std::string Eta(double seconds) {
  char text[32];
  if (seconds < 90)
    std::snprintf(text, sizeof(text), "%.0f s", seconds);
  else
    std::snprintf(text, sizeof(text), "%.0f min", seconds / 60);
  return text;
}

}  // namespace

ProgressPrinter::ProgressPrinter(bool json, Verbosity verbosity, bool to_parent)
    : form_(verbosity == Verbosity::kQuiet ? Form::kNone
            : json                         ? Form::kJson
            : isatty(STDERR_FILENO)        ? Form::kBar
                                           : Form::kLines),
      verbosity_(verbosity),
      to_parent_(to_parent) {}

ProgressPrinter::~ProgressPrinter() {
  Clear();
  if (not_shown_) ShowJson(*not_shown_, 0);
}

void ProgressPrinter::ShowJson(const Progress& progress, double seconds) const {
  const double rate = seconds > 0 ? static_cast<double>(progress.done) / seconds : 0;
  const long long done = progress.done, total = progress.total;
  const double eta = rate > 0 && total > done ? static_cast<double>(total - done) / rate : 0;
  const long long rss = CurrentRssBytes() + ChildrenRssBytes();
  std::fprintf(
      stderr,
      "{\"stage\":\"%s\",\"done\":%lld,\"total\":%lld,\"per_second\":%.2f,\"eta_seconds\":%.1f,\"rss_bytes\":%lld}\n",
      stage_.c_str(), done, total, rate, eta, rss);
}

void ProgressPrinter::Show(const Progress& progress) {
  if (form_ == Form::kNone) return;
  const Clock::time_point now = Clock::now();
  if (progress.stage != stage_) {
    stage_ = progress.stage;
    stage_start_ = last_shown_ = now;
    return;  // a rate needs two points
  }
  const bool last = progress.total > 0 && progress.done >= progress.total;
  if (to_parent_) not_shown_ = progress;
  const auto pause =
      form_ == Form::kBar || to_parent_ ? std::chrono::milliseconds(100) : std::chrono::milliseconds(1000);
  if (now - last_shown_ < pause && !(last && form_ != Form::kLines)) return;
  last_shown_ = now;
  not_shown_.reset();

  const double seconds = std::chrono::duration<double>(now - stage_start_).count();
  if (form_ == Form::kJson) return ShowJson(progress, seconds);
  const double rate = seconds > 0 ? static_cast<double>(progress.done) / seconds : 0;
  const long long done = progress.done, total = progress.total;
  const double eta = rate > 0 && total > done ? static_cast<double>(total - done) / rate : 0;
  const long long rss = CurrentRssBytes() + ChildrenRssBytes();
  if (form_ == Form::kLines) {
    std::fprintf(stderr, "%s: %lld of %s, %.1f/s, %lld MB\n", stage_.c_str(), done,
                 total > 0 ? std::to_string(total).c_str() : "?", rate, rss / 1000000);
    return;
  }
  const int filled = total > 0 ? static_cast<int>(std::min<long long>(kBarWidth, done * kBarWidth / total)) : 0;
  std::string bar(static_cast<size_t>(filled), '#');
  bar.resize(kBarWidth, '.');
  std::fprintf(stderr, "\r\x1b[K%s [%s] %lld/%s  %.1f/s  ETA %s  %lld MB", stage_.c_str(), bar.c_str(), done,
               total > 0 ? std::to_string(total).c_str() : "?", rate, Eta(eta).c_str(), rss / 1000000);
  bar_shown_ = true;
}

void ProgressPrinter::Log(LogLevel level, std::string_view message) {
  if (form_ == Form::kNone || (level != LogLevel::kWarning && verbosity_ != Verbosity::kVerbose)) return;
  Clear();
  std::fprintf(stderr, "preon: %s%s\n", level == LogLevel::kWarning ? "warning: " : "", Printable(message).c_str());
}

void ProgressPrinter::Clear() {
  if (!bar_shown_) return;
  std::fputs("\r\x1b[K", stderr);
  bar_shown_ = false;
}

}  // namespace preon::cli
