// The best scale of a block of weights.
#pragma once

#include <cstddef>
#include <span>

namespace preon {

inline constexpr size_t kLargestScaledBlock = 256;
inline constexpr int kMostScaledCodes = 15;  ///< the largest code

/// Scales from 1 / `coarsest` to 1 / `finest`.
struct ScaleBounds {
  float coarsest, finest;
};

/// The scale whose nearest codes c[i] = min(round(magnitudes[i] / scale), rooms[i]) leave the least squared error, as
/// <w, c> / <c, c>, which is the best one for them and leaves |w|² - <w, c>² / <c, c>. While 1 / scale grows, codes
/// change one by one, at (k + 1/2) / |w|: all roundings that any scale in the bounds leads to are looked at. 0 where
/// all are 0. Every instruction set gives the same bits: no fused multiply-adds, sums in the order of the weights; of
/// equal errors the smaller scale.
/// @param magnitudes  of the weights, at most kLargestScaledBlock, 0 to 1
/// @param rooms       the largest code of each weight: whole, at most kMostScaledCodes
/// @param importance  what each squared error counts, not negative, in <·, ·> too; empty: all 1
float BestBlockScale(std::span<const float> magnitudes, std::span<const float> rooms, const ScaleBounds& bounds,
                     std::span<const float> importance = {});

namespace reference {
float BestBlockScale(std::span<const float> magnitudes, std::span<const float> rooms, const ScaleBounds& bounds,
                     std::span<const float> importance = {});
}  // namespace reference

namespace internal {
/// Behind the place of a change, so that the product with the weight is rounded to the next code.
inline constexpr float kBehindTie = 1 + 0x1p-21f;
}  // namespace internal

}  // namespace preon
