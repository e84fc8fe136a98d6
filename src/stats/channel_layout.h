// ChannelLayout: where a tensor's samples and channels lie in memory.
#pragma once

#include <cstdint>

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

}  // namespace preon
