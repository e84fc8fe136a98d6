// Histogram kernels: values -> bin indices -> counts. Bins are 2^k wide, aligned to zero, mirrored: bin m of a sign
// holds m * 2^k <= |x| < (m + 1) * 2^k, so negating the data swaps the two halves and doubling the width joins bins 2m
// and 2m+1.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/run_stats.h"

namespace preon {

inline constexpr size_t kBinsPerSign = 4096;
/// The tail: magnitude bins from here on.
inline constexpr size_t kTailBin = kBinsPerSign / 4;
/// Indices: magnitude bin m of positive values is m, of negative values kBinsPerSign + m.
inline constexpr size_t kBins = 2 * kBinsPerSign;
/// Functions that write as many entries as they find may write that many entries beyond the last one.
inline constexpr size_t kIndexSlack = 16;

/// Writes the bin index of every x[i] that is not zero to `indices`, in order; returns how many.
/// @param inv_width  2^-k, k in [-126, 116]; all x finite with |x| < kBinsPerSign * 2^k.
/// @param indices    room for count + kIndexSlack.
/// Numerics: exact. Cost: 0.12 ns per element with AVX-512.
size_t BinIndices(const float* x, size_t count, float inv_width, uint16_t* indices);

/// Writes kBins + BinIndices' index of every x[i] in a magnitude bin >= kTailBin. `groups`: where to look.
size_t TailBinIndices(const float* x, size_t count, const RunGroups& groups, float inv_width, uint16_t* indices);

/// Bits of a FineBins word that say where in its bin a value lies.
inline constexpr int kFineBits = 19;

/// Of a float's bits: the magnitude's upper 20 significant ones.
inline constexpr uint32_t kFineMagnitude = 0x7ffffff0;

/// As BinIndices, but each index has kFineBits more bits below: the offset from the bin's edge nearer to zero, in units
/// of 2^-kFineBits of a bin. Values count with their upper 20 significant bits, so that outside bin 0 the offset of
/// magnitude bin m is a multiple of 2^floor(log2(m)), and stays an integer in bins wider by up to that factor.
/// @param words  room for count + kIndexSlack.
size_t FineBins(const float* x, size_t count, float inv_width, uint32_t* words);

/// Copies every x[i] with |x[i]| >= min_magnitude (finite, > 0) to `out`, in order; returns how many.
/// @param out  room for count + kIndexSlack.
size_t SelectLarge(const float* x, size_t count, float min_magnitude, float* out);

/// One more in even[index] or odd[index] per index, in turns: two counters per bin, because equal neighbours would wait
/// for each other's store. At most 65535 per counter (not checked).
void CountIndices(const uint16_t* indices, size_t count, uint16_t* even, uint16_t* odd);

/// total[i] += weight * (a[i] + b[i]).
void FoldCounts(const uint16_t* a, const uint16_t* b, size_t count, uint32_t weight, uint32_t* total);

namespace reference {
size_t BinIndices(const float* x, size_t count, float inv_width, uint16_t* indices);
size_t TailBinIndices(const float* x, size_t count, const RunGroups& groups, float inv_width, uint16_t* indices);
size_t FineBins(const float* x, size_t count, float inv_width, uint32_t* words);
size_t SelectLarge(const float* x, size_t count, float min_magnitude, float* out);
void FoldCounts(const uint16_t* a, const uint16_t* b, size_t count, uint32_t weight, uint32_t* total);
}  // namespace reference

}  // namespace preon
