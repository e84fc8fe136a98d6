#include "base/stage_clock.h"

#include <algorithm>

namespace preon {

void StageClock::Begin(std::string_view stage) {
  End();
  stage_ = stage;
  stage_start_ = Clock::now();
}

void StageClock::End() {
  if (stage_.empty()) return;
  const double seconds = std::chrono::duration<double>(Clock::now() - stage_start_).count();
  const auto known = std::ranges::find(seconds_, stage_, &std::pair<std::string, double>::first);
  if (known == seconds_.end())
    seconds_.emplace_back(stage_, seconds);
  else
    known->second += seconds;
  stage_.clear();
}

double StageClock::TotalSeconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

}  // namespace preon
