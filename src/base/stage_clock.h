// StageClock: how long the stages of a run took.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace preon {

/// Not thread-safe: one thread drives a run from stage to stage.
class StageClock {
 public:
  /// Ends the running stage and starts `stage`; a name that comes again adds up.
  void Begin(std::string_view stage);
  /// Ends the running stage.
  void End();
  /// Of the stages that have ended, in the order in which they came first.
  const std::vector<std::pair<std::string, double>>& seconds() const { return seconds_; }
  /// Since the clock was made.
  double TotalSeconds() const;

 private:
  using Clock = std::chrono::steady_clock;

  Clock::time_point start_ = Clock::now(), stage_start_ = start_;
  std::string stage_;
  std::vector<std::pair<std::string, double>> seconds_;
};

}  // namespace preon
