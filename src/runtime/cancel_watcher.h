// Inside runtime/: ends runs in the middle once a cancel flag is set.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "runtime/ort_guard.h"

namespace preon {

/// One thread for all sessions looks at the flags of the runs under way a few dozen times a second. (Waking a thread
/// for every run would cost more than a small model's run.) It starts with the first run that has a flag.
class CancelWatcher {
 public:
  /// That of all open sessions; it ends with the last one.
  static std::shared_ptr<CancelWatcher> Shared();

  CancelWatcher() = default;
  CancelWatcher(const CancelWatcher&) = delete;
  CancelWatcher& operator=(const CancelWatcher&) = delete;
  ~CancelWatcher();

  /// Watches one run from construction to destruction; does nothing when `cancel` is null.
  class Scope {
   public:
    Scope(CancelWatcher& watcher, Ort::RunOptions& run, const std::atomic<bool>* cancel);
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    ~Scope();

   private:
    CancelWatcher& watcher_;
    Ort::RunOptions* run_;
  };

 private:
  struct Watched {
    Ort::RunOptions* run;
    const std::atomic<bool>* cancel;
  };
  void Watch();

  std::mutex mutex_;
  std::condition_variable stopping_;
  std::vector<Watched> watched_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace preon
