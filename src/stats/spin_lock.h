// SpinLock: a lock for a few microseconds of work. Threads that share a tensor finish together, so one always finds
// the lock taken; put to sleep by a mutex, it would wake up later than the work takes.
#pragma once

#include <atomic>
#include <thread>

namespace preon {

class SpinLock {
 public:
  SpinLock() = default;
  // What a lock guards can be copied; the copy has a lock of its own.
  SpinLock(const SpinLock&) {}
  void lock() {
    for (int attempt = 1; taken_.test_and_set(std::memory_order_acquire); ++attempt) {
      if (attempt % kAttemptsPerSlice == 0) std::this_thread::yield();  // its holder may have lost the processor
    }
  }
  void unlock() { taken_.clear(std::memory_order_release); }

 private:
  static constexpr int kAttemptsPerSlice = 256;
  std::atomic_flag taken_;
};

}  // namespace preon
