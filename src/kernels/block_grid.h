// BlockGrid: which values a block may hold whose elements share an exponent, and how others are rounded to them.
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/mini_float.h"
#include "kernels/rounding.h"

namespace preon {

/// The sign of an element that is zero.
enum class ZeroSign : uint8_t {
  kOfValue,   ///< that of the value that was rounded
  kPositive,  ///< +0
  // As code gives that divides in float and then adds and subtracts a large number: +0, unless the quotient is -0
  // already, of -0 or by underflow. Fixed point only.
  kOfStepQuotient,   ///< the quotient by the step
  kOfScaleQuotient,  ///< the quotient by 2^e
};

/// Es = the largest biased exponent (0…254) of the block's finite elements, e = Es - 127.
///
/// Fixed point (no `element`): multiples of step = 2^(e - (magnitude_bits - 1)), from q_min to q_max of them. With
/// sub-blocks the step is halved as often as the sub-block's own largest exponent lies below e, up to max_shift times.
/// Floating (`element`): values of `element`, times 2^max(e - element->max_exponent(), min_scale_exponent).
struct BlockGrid {
  int64_t block_size = 8;
  Rounding rounding = Rounding::kHalfEven;  ///< floating elements: ties to even, whatever stands here
  ZeroSign zero_sign = ZeroSign::kOfValue;
  bool nan_block = false;  ///< true: one NaN or infinity makes all of the block NaN; false: they stay as they are
                           ///< and don't count

  int magnitude_bits = 7;  ///< 1…23
  int32_t q_min = -127, q_max = 127;
  int64_t sub_block_size = 0;  ///< 0: none, else a divisor of block_size
  int max_shift = 0;
  bool flush_denormals = false;  ///< denormal values count as zeros
  /// The exponent grows by one if an element with the exponent e would round to more than 2^magnitude_bits - 1, or less
  /// than -2^magnitude_bits.
  bool raise_exponent = false;

  std::optional<MiniFloat> element;
  int min_scale_exponent = -127;
};

}  // namespace preon
