#include "formats/precision.h"

#include "formats/linear_codec.h"

namespace preon {
namespace {

// With the hidden bit in front of the mantissa.
int SignificantBits(const MiniFloat& format) { return format.mantissa_bits + 1; }

}  // namespace

Precision PrecisionOf(const TensorType& type) {
  using Scaled = Precision::Scaled;
  if (const BlockSpec* block = type.block()) {
    if (block->element) return {SignificantBits(*block->element), Scaled::kByElement};
    return {block->magnitude_bits() + 1, Scaled::kByBlock};
  }
  if (const std::optional<MiniFloat> format = MiniFloatOf(type.type()))
    return {SignificantBits(*format), Scaled::kByElement};
  return {type.bits(), Scaled::kByTensor};
}

}  // namespace preon
