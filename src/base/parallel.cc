#include "base/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace preon {

ParallelFor OnThreads(size_t threads) {
  const auto run = [threads](size_t count, const std::function<void(size_t)>& task) {
    std::atomic<size_t> next = 0;
    std::mutex failing;
    std::exception_ptr failure;
    const auto work = [&] {
      try {
        for (size_t i = next++; i < count; i = next++) task(i);
      } catch (...) {
        const std::lock_guard hold(failing);
        if (failure == nullptr) failure = std::current_exception();
      }
    };
    {
      std::vector<std::jthread> others;
      for (size_t i = 1; i < std::min(threads, count); ++i) others.emplace_back(work);
      work();
    }
    if (failure != nullptr) std::rethrow_exception(failure);
  };
  return {.run = run, .threads = threads};
}

}  // namespace preon
