// RunStats: counts, extremes and sums of a run of floats in one read.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace preon {

inline constexpr size_t kStatLanes = 32;    ///< float sums run in 32 lanes, element i in lane i % 32
inline constexpr size_t kStatBlock = 1024;  ///< after that many elements the lanes move on into double
inline constexpr size_t kMaxRun = 8192;

/// A set of groups of kStatLanes elements of a run: bit g % 64 of word g / 64 is group g.
using RunGroups = std::array<uint64_t, kMaxRun / kStatLanes / 64>;

/// What one read of a run yields. Extremes and sums are over finite values.
struct RunStats {
  uint64_t zeros = 0;
  uint64_t nans = 0;
  uint64_t infs = 0;
  float min = 0;   ///< never -0; +infinity when no value is finite
  float max = 0;   ///< -infinity when no value is finite
  double sum = 0;  ///< relative error of both sums <= 2^-19 of the sum of magnitudes
  double sum_squares = 0;
  RunGroups tail{};  ///< the groups in which a finite element has |x| >= tail_bound
};

/// Of the finite elements in each lane, element i being in lane i % kStatLanes; -0 may stand for 0; +infinity and
/// -infinity where there are none.
struct LaneExtremes {
  alignas(64) float min[kStatLanes];
  alignas(64) float max[kStatLanes];
};

/// Statistics of x[0 … count), count <= kMaxRun. The order of additions depends on the element's position alone, so
/// every instruction set gives the same bits: within a block lane l adds its elements in float, in order (squares as
/// fused multiply-adds; without such an instruction everything is scalar and slow); then double lane l (of 16) takes
/// lane l + lane l+16; at the end the double lanes are added as a binary tree. Sums whose squares
/// leave float's comfortable range, and runs with NaN or infinities, are done over in double. Needs the default float
/// environment (float_env.h). Cost: about 0.1 ns per element with AVX-512, 3 ns for the runs that are done over.
/// `lanes`: may be null.
RunStats ComputeRunStats(const float* x, size_t count, float tail_bound, LaneExtremes* lanes = nullptr);

/// out[i] = x[i] where finite, else 0. In place is fine.
void ReplaceNonFinite(const float* x, size_t count, float* out);

namespace reference {
RunStats ComputeRunStats(const float* x, size_t count, float tail_bound, LaneExtremes* lanes = nullptr);
void ComputeLaneExtremes(const float* x, size_t count, LaneExtremes& lanes);
}  // namespace reference

namespace internal {
inline void MarkTail(RunGroups& tail, size_t element, float value, float tail_bound) {
  const size_t group = element / kStatLanes;
  tail[group / 64] |= uint64_t{value >= tail_bound || value <= -tail_bound} << (group % 64);
}
/// Sums of one run as the lanes leave them; shared by the vector code and the reference.
struct StatLanes {
  alignas(64) float sum[kStatLanes] = {};
  alignas(64) float sum_squares[kStatLanes] = {};
  alignas(64) double wide_sum[kStatLanes / 2] = {};
  alignas(64) double wide_sum_squares[kStatLanes / 2] = {};

  void Add(size_t lane, float value);
  /// Moves the float lanes on into the double lanes.
  void EndBlock();
};
/// Fills the sums; runs that float sums can't carry are done over, with everything else, in double.
RunStats FinishRunStats(RunStats stats, StatLanes& lanes, const float* x, size_t count, float tail_bound);
}  // namespace internal

}  // namespace preon
