// ChannelLayout: where a tensor's samples and channels lie in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace preon {

/// How a tensor's values lie in memory: [samples][outer][ceil(channels / block)][inner][block], row-major.
/// Plain NCHW has block 1; channels-last has channels = last dimension, inner 1. In a blocked tensor the channels
/// beyond `channels` are padding and never counted.
struct ChannelLayout {
  int64_t samples = 1;
  int64_t outer = 1;
  int64_t channels = 1;
  int64_t inner = 1;
  int64_t block = 1;
};

/// Runs task(0) … task(count-1), possibly at once, and returns when all are done.
using ParallelFor = std::function<void(size_t count, const std::function<void(size_t task)>& task)>;

/// Calls parallel_for, or runs the tasks one after the other when it is empty or there is only one.
inline void RunTasks(const ParallelFor& parallel_for, size_t count, const std::function<void(size_t task)>& task) {
  if (parallel_for && count > 1) return parallel_for(count, task);
  for (size_t i = 0; i < count; ++i) task(i);
}

}  // namespace preon
