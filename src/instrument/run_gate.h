// RunGate: lets any number of runs through, and stops them for whoever wants to read what they write.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace preon {

/// Unlike a shared mutex, Pause comes in between runs that overlap without end. One pause at a time.
class RunGate {
 public:
  void Enter() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !paused_; });
    ++inside_;
  }
  void Leave() {
    const std::lock_guard lock(mutex_);
    if (--inside_ == 0) changed_.notify_all();
  }
  /// Returns once no run is inside, and keeps all runs out until Resume. False, and open again, when that took longer.
  bool Pause(std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    paused_ = true;
    if (changed_.wait_for(lock, patience, [this] { return inside_ == 0; })) return true;
    paused_ = false;
    changed_.notify_all();
    return false;
  }
  void Resume() {
    const std::lock_guard lock(mutex_);
    paused_ = false;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int inside_ = 0;
  bool paused_ = false;
};

}  // namespace preon
