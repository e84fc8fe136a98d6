// Which elements of a large sample a sampled sketch counts: a fixed subset by position.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace preon {

/// Samples up to that size are counted whole. Also the run that is processed at a time: 32 KB stay in the first-level cache.
inline constexpr size_t kRunLength = 8192;
/// One cache line. Values nearby resemble each other, so many small blocks tell more than few large ones (measured: with 64, twice the error).
inline constexpr size_t kSampleBlock = 16;
/// One block out of so many; counts of the subset weigh that much.
inline constexpr size_t kSampleRate = 8;

/// The block taken from the group-th group of kSampleRate blocks. Not always the same one: a tensor whose rows are a multiple of the
/// group long would have the same channels counted in each row. Steps by the golden ratio cover all residues evenly.
inline size_t SampledBlock(size_t group) {
  return static_cast<uint32_t>(group * 0x9E3779B9u) >> 29;
}
static_assert(kSampleRate == 8, "SampledBlock yields 3 bits");

/// Copies the subset of run[0 … count), the sample's elements from position run_index * kRunLength on; returns its size.
/// @param out  room for kRunLength / kSampleRate values
inline size_t GatherSampledBlocks(const float* run, size_t count, size_t run_index, float* out) {
  constexpr size_t kGroup = kSampleRate * kSampleBlock;
  static_assert(kRunLength % kGroup == 0);
  const size_t first_group = run_index * (kRunLength / kGroup);
  size_t taken = 0;
  for (size_t group = 0; group * kGroup < count; ++group) {
    const size_t begin = group * kGroup + SampledBlock(first_group + group) * kSampleBlock;
    if (begin + kSampleBlock <= count) {
      std::memcpy(out + taken, run + begin, kSampleBlock * sizeof(float));  // known size: two or four moves
      taken += kSampleBlock;
    } else if (begin < count) {
      std::copy(run + begin, run + count, out + taken);
      taken += count - begin;
    }
  }
  return taken;
}

}  // namespace preon
