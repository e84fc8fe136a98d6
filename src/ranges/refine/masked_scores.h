// Scores with a mask: what a Softmax cannot tell from 0 needs no codes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formats/int_format.h"

namespace preon {

/// Of a tensor, by the sums or choices of scores and a mask that a Softmax reads. Both empty: it has no part in one.
struct MaskRole {
  std::vector<std::string> operands;  ///< it is such a sum: the tensors whose statistics tell of what
  std::optional<Range> constant;      ///< the extremes of an operand that is a constant
  std::vector<std::string> beside;    ///< it is only read by such sums: the other operands
  bool operator==(const MaskRole&) const = default;
};

/// The range of the sum without what the mask takes away: down to `bits` below the lowest score, where a Softmax leaves
/// exp(-bits), less than a step of its own codes. Nullopt where neither operand is a mask (0 for what stays, far below
/// all scores for the rest).
/// @param bits  the binary logarithm of how many codes there are
std::optional<Range> RangeWithoutMasked(const Range& sum, const Range& one, const Range& other, float bits);

/// Of a mask: what takes any score there. Nullopt where it is none.
std::optional<Range> RangeOfMask(const Range& mask, const Range& scores, float bits);

}  // namespace preon
