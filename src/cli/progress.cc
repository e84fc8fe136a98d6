#include "cli/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "base/child_process.h"
#include "base/system.h"
#include "base/text.h"
#include "cli/terminal.h"
#include "report/json_object.h"

namespace preon::cli {
namespace {

constexpr int kBarWidth = 24;
constexpr std::chrono::milliseconds kTick(1000);

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
      to_parent_(to_parent) {
  if (form_ != Form::kNone && !to_parent) ticker_ = std::thread([this] { Tick(); });
}

ProgressPrinter::~ProgressPrinter() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  end_.notify_all();
  if (ticker_.joinable()) ticker_.join();
  ClearBar();
  if (not_shown_) Print(stage_start_);
}

void ProgressPrinter::Tick() {
  std::unique_lock lock(mutex_);
  while (!end_.wait_for(lock, kTick, [this] { return ended_; })) {
    const Clock::time_point now = Clock::now();
    if (!stage_.empty() && now - last_shown_ >= kTick) Print(now);
  }
}

// In stage_, since whose beginning some time has passed; `now` equal to that says no rate.
void ProgressPrinter::Print(Clock::time_point now) {
  last_shown_ = now;
  not_shown_ = false;
  const double seconds = std::chrono::duration<double>(now - stage_start_).count();
  const double rate = seconds > 0 ? static_cast<double>(done_) / seconds : 0;
  const double eta = rate > 0 && total_ > done_ ? static_cast<double>(total_ - done_) / rate : 0;
  const long long rss = CurrentRssBytes() + ChildrenRssBytes();
  const std::string of = total_ > 0 ? std::to_string(total_) : "?";
  if (form_ == Form::kJson) {
    std::fprintf(
        stderr,
        "{\"schema\":%d,\"stage\":\"%s\",\"done\":%lld,\"total\":%lld,\"per_second\":%.2f,\"eta_seconds\":%.1f,"
        "\"rss_bytes\":%lld}\n",
        kJsonSchema, stage_.c_str(), done_, total_, rate, eta, rss);
  } else if (done_ == 0) {
    const bool bar = form_ == Form::kBar;
    std::fprintf(stderr, "%s%s: %.0f s, %lld MB%s", bar ? "\r\x1b[K" : "", stage_.c_str(), seconds, rss / 1000000,
                 bar ? "" : "\n");
    bar_shown_ = bar;
  } else if (form_ == Form::kLines) {
    std::fprintf(stderr, "%s: %lld of %s, %.1f/s, %lld MB\n", stage_.c_str(), done_, of.c_str(), rate, rss / 1000000);
  } else {
    const int filled = total_ > 0 ? static_cast<int>(std::min<long long>(kBarWidth, done_ * kBarWidth / total_)) : 0;
    std::string bar(static_cast<size_t>(filled), '#');
    bar.resize(kBarWidth, '.');
    std::fprintf(stderr, "\r\x1b[K%s [%s] %lld/%s  %.1f/s  ETA %s  %lld MB", stage_.c_str(), bar.c_str(), done_,
                 of.c_str(), rate, Eta(eta).c_str(), rss / 1000000);
    bar_shown_ = true;
  }
}

void ProgressPrinter::Show(const Progress& progress) {
  // The parent wants the last count; the beginning of a later stage does not replace it.
  if (form_ == Form::kNone || (to_parent_ && progress.done == 0)) return;
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = Clock::now();
  const bool begins = progress.stage != stage_;
  if (begins) {
    stage_ = progress.stage;
    stage_start_ = last_shown_ = now;
  }
  done_ = progress.done;
  total_ = progress.total;
  not_shown_ = to_parent_;
  if (begins) {  // a rate needs two points; programs want to know every stage
    if (form_ == Form::kJson) Print(now);
    return;
  }
  const bool last = total_ > 0 && done_ >= total_;
  const auto pause = form_ == Form::kBar || to_parent_ ? std::chrono::milliseconds(100) : kTick;
  if (now - last_shown_ >= pause || (last && form_ != Form::kLines)) Print(now);
}

void ProgressPrinter::Log(LogLevel level, std::string_view message) {
  if (form_ == Form::kNone) return;
  const std::lock_guard lock(mutex_);
  ClearBar();
  const std::string prefix =
      level == LogLevel::kWarning ? Styled("preon: warning:", Style::kYellow, ShowsColor(STDERR_FILENO)) : "preon:";
  std::fprintf(stderr, "%s %s\n", prefix.c_str(), Printable(message).c_str());
}

void ProgressPrinter::Clear() {
  const std::lock_guard lock(mutex_);
  stage_.clear();  // nothing more is shown
  ClearBar();
}

void ProgressPrinter::ClearBar() {
  if (!bar_shown_) return;
  std::fputs("\r\x1b[K", stderr);
  bar_shown_ = false;
}

}  // namespace preon::cli
