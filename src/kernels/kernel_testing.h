// For tests: every instruction set, every length and misalignment that matters, and values that break careless loops.
#pragma once

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "kernels/highway_targets.h"

#include "hwy/highway.h"

namespace preon {

/// Switches every kernel to one instruction set (HWY_AVX2 …), 0: back to the processor's best.
inline void UseKernelTarget(int64_t target) {
  hwy::SetSupportedTargetsForTest(target);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

/// Calls body(name) with every kernel switched to one instruction set after the other, scalar included; then back.
template <typename Body>
void ForEachKernelTarget(Body body) {
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    UseKernelTarget(target);
    body(std::string(hwy::TargetName(target)));
  }
  UseKernelTarget(0);
}

/// 0 to two of the widest steps that a kernel takes plus 1, then the surroundings of block ends up to `longest`.
inline std::vector<size_t> KernelTestLengths(size_t longest) {
  std::vector<size_t> lengths;
  for (size_t length = 0; length <= 65 && length <= longest; ++length) lengths.push_back(length);
  for (size_t end = 512; end <= longest; end *= 2) {
    for (const size_t length : {end - 1, end, end + 1, end + 37}) {
      if (length <= longest) lengths.push_back(length);
    }
  }
  return lengths;
}

/// A float array that starts `offset` floats behind a 64-byte boundary, with NaN around it: a kernel that reads too far
/// returns NaN.
class MisalignedFloats {
 public:
  MisalignedFloats(const std::vector<float>& values, size_t offset)
      : offset_(kGuard + offset), storage_(offset_ + values.size() + kGuard, std::numeric_limits<float>::quiet_NaN()) {
    std::copy(values.begin(), values.end(), storage_.begin() + static_cast<ptrdiff_t>(offset_));
  }
  const float* data() const { return storage_.data() + offset_; }

 private:
  static constexpr size_t kGuard = 64;
  size_t offset_;
  std::vector<float> storage_;
};

/// Normal values times `scale`, a third of them zero (of either sign).
inline std::vector<float> RandomFloats(size_t count, uint32_t seed, float scale = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float& value : values) value = random() % 3 == 0 ? (random() % 2 ? 0.0f : -0.0f) : normal(random) * scale;
  return values;
}

/// Replaces about one value in `period` by NaN, infinities, denormals, the largest floats.
inline std::vector<float> WithEdgeValues(std::vector<float> values, uint32_t seed, uint32_t period) {
  using Limits = std::numeric_limits<float>;
  const float edges[] = {Limits::quiet_NaN(),  Limits::infinity(),    -Limits::infinity(),
                         Limits::denorm_min(), -Limits::denorm_min(), Limits::min(),
                         Limits::max(),        Limits::lowest(),      -Limits::quiet_NaN()};
  std::mt19937 random(seed);
  for (float& value : values) {
    if (random() % period == 0) value = edges[random() % std::size(edges)];
  }
  return values;
}

/// The first element whose bits differ, NaN being like NaN; the size where there is none.
inline size_t FirstDifference(const std::vector<float>& got, const std::vector<float>& wanted) {
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (std::isnan(wanted[i]) ? !std::isnan(got[i])
                              : std::bit_cast<uint32_t>(got[i]) != std::bit_cast<uint32_t>(wanted[i])) {
      return i;
    }
  }
  return wanted.size();
}

}  // namespace preon
