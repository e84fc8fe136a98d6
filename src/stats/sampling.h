// Which elements of a large sample a sampled sketch counts: a fixed subset by position.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace preon {

/// Samples up to that size are counted whole. Also the run that is processed at a time: 32 KB stay in the first-level
/// cache.
inline constexpr size_t kRunLength = 8192;
/// One cache line. Values nearby resemble each other, so many small blocks tell more than few large ones (measured:
/// with 64, twice the error).
inline constexpr size_t kSampleBlock = 16;
inline constexpr size_t kSampledValues = 2048;
inline constexpr size_t kMinSampleRate = 8;
inline constexpr size_t kMaxSampleRate = 256;

/// One block out of so many is counted in samples of that size, each value weighing that much: 1 for whole samples,
/// then the power of two that leaves 1024 to 2048 values or a few more (more above half a million elements).
inline size_t SampleRate(size_t sample_size) {
  if (sample_size <= kRunLength) return 1;
  return std::clamp(std::bit_ceil(sample_size / kSampledValues), kMinSampleRate, kMaxSampleRate);
}

/// One block out of so many counts for the means of channels. They are averages over all samples, so half of the
/// others' do; but of each channel, which takes up `extent` elements, at least one.
inline size_t ChannelSampleRate(size_t rate, size_t extent) {
  return std::clamp(std::bit_floor(extent / (2 * kSampleBlock) + 1), size_t{2}, std::min(2 * rate, kMaxSampleRate));
}

/// The block taken from the group-th group of `rate` blocks. Not always the same one: a tensor whose rows are a
/// multiple of the group long would have the same channels counted in each row. Steps by the golden ratio cover all
/// residues evenly.
inline size_t SampledBlock(size_t group, size_t rate) {
  return static_cast<uint32_t>(group * 0x9E3779B9u) >> (32 - std::countr_zero(rate));
}

/// take(begin, length) for each block of the subset of a run of `count` elements, the run_index-th of its sample.
/// @param rate  2 … kMaxSampleRate, a power of two
template <typename Take>
void ForEachSampledBlock(size_t count, size_t run_index, size_t rate, const Take& take) {
  static_assert(kRunLength % (kMaxSampleRate * kSampleBlock) == 0);
  const size_t group_size = rate * kSampleBlock;
  size_t group = run_index * (kRunLength / group_size);
  for (size_t first = 0; first < count; first += group_size) {
    const size_t begin = first + SampledBlock(group++, rate) * kSampleBlock;
    if (begin < count) take(begin, std::min(kSampleBlock, count - begin));
  }
}

/// Copies the subset of run[0 … count), the sample's elements from position run_index * kRunLength on; returns its
/// size.
/// @param out   room for kRunLength / kMinSampleRate values
inline size_t GatherSampledBlocks(const float* run, size_t count, size_t run_index, size_t rate, float* out) {
  size_t taken = 0;
  ForEachSampledBlock(count, run_index, rate, [&](size_t begin, size_t length) {
    if (length == kSampleBlock) {
      std::memcpy(out + taken, run + begin, kSampleBlock * sizeof(float));  // known size: two or four moves
    } else {
      std::copy_n(run + begin, length, out + taken);
    }
    taken += length;
  });
  return taken;
}

}  // namespace preon
