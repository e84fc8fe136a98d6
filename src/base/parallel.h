// ParallelFor: threads of the caller to run tasks on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace preon {

/// Without `run`, the tasks run one after the other on the caller's thread.
struct ParallelFor {
  std::function<void(size_t count, const std::function<void(size_t task)>& task)> run;
  size_t threads = 1;  ///< how many work at once: more tasks than that gain nothing

  /// Runs task(0) … task(count-1), possibly at once, and returns when all are done.
  void operator()(size_t count, const std::function<void(size_t task)>& task) const {
    if (run && count > 1) return run(count, task);
    for (size_t i = 0; i < count; ++i) task(i);
  }
};

/// On as many threads, of which the caller's is one and the others live while it runs. What a task throws is thrown
/// again once all threads are done.
ParallelFor OnThreads(size_t threads);

/// Computes elements [begin, end) of an array: on several threads at once, every element once.
using ComputeRange = std::function<void(int64_t begin, int64_t end)>;

}  // namespace preon
