// Blocks of a common size lie in the lanes of one vector or fill a few; their largest magnitude is found by swapping
// lanes. Blocks across memory have a lane each, and need no swaps.
//
// A vector with any block that is not ordinary (block_rules-inl.h) goes to the reference, and so NaN, infinities,
// denormal scales and the rules for them exist only there.
#include "kernels/quantize_blocks.h"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/quantize_blocks.cc"
#include "kernels/highway_targets.h"

#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// After foreach_target.h.
#include "kernels/block_rules-inl.h"

HWY_BEFORE_NAMESPACE();
namespace preon {
namespace HWY_NAMESPACE {
#if HWY_TARGET == HWY_SCALAR
void BlocksInMemory(const BlockGrid& grid, const float* x, size_t count, float* out) {
  reference::QuantizeBlocks(grid, x, count, out);
}
void BlocksAcross(const BlockGrid& grid, const float* x, size_t rows, size_t columns, size_t stride, float* out) {
  reference::QuantizeBlockColumns(grid, x, rows, columns, stride, out);
}
#else
namespace hn = hwy::HWY_NAMESPACE;

/// In every lane the largest of the kGroup lanes that it belongs to.
template <size_t kGroup>
HWY_INLINE VI GroupMax(VI v) {
  const DI d;
  if constexpr (kGroup >= 2 && kLanes >= 2) v = hn::Max(v, hn::Reverse2(d, v));
  if constexpr (kGroup >= 4 && kLanes >= 4) v = hn::Max(v, hn::Reverse4(d, v));
  if constexpr (kGroup >= 8 && kLanes >= 8) v = hn::Max(v, hn::Reverse8(d, v));
  if constexpr (kGroup >= 16 && kLanes >= 16) v = hn::Max(v, hn::Reverse(d, v));
  return v;
}

/// What quantizing a vector takes, with its constants at hand.
template <class Rule>
struct BlockCode {
  explicit BlockCode(const BlockGrid& of) : grid(of), ordinary(of), rule(of) {}
  const BlockGrid& grid;
  const Ordinary ordinary;
  const Rule rule;
};

/// One step: the blocks of a vector, or the vectors of a block. kSub 1: no sub-blocks.
template <size_t kBlock, size_t kSub, class Rule>
HWY_INLINE void QuantizeUnit(const BlockCode<Rule>& code, const float* x, float* out) {
  constexpr size_t kVectors = kBlock > kLanes ? kBlock / kLanes : 1;
  const D d;
  V value[kVectors];
  VI magnitude[kVectors];
  HWY_UNROLL(32)
  for (size_t v = 0; v < kVectors; ++v) {
    value[v] = hn::LoadU(d, x + v * kLanes);
    magnitude[v] = Magnitude(value[v]);
  }
  VI largest = magnitude[0];
  HWY_UNROLL(32)
  for (size_t v = 1; v < kVectors; ++v) largest = hn::Max(largest, magnitude[v]);
  largest = GroupMax<kBlock>(largest);
  if (HWY_UNLIKELY(!code.ordinary.All(largest))) {
    reference::QuantizeBlocks(code.grid, x, kVectors * kLanes, out);
    return;
  }
  const VI exponent = code.ordinary.Exponent(largest);
  HWY_UNROLL(32)
  for (size_t v = 0; v < kVectors; ++v) {
    if constexpr (kSub > 1) {
      const VI own = code.rule.SubBlockExponent(exponent, GroupMax<kSub>(magnitude[v]));
      hn::StoreU(code.rule(value[v], own), d, out + v * kLanes);
    } else {
      hn::StoreU(code.rule(value[v], exponent), d, out + v * kLanes);
    }
  }
}

template <size_t kBlock, size_t kSub, class Rule>
void Contiguous(const BlockGrid& grid, const float* x, size_t count, float* out) {
  constexpr size_t kUnit = HWY_MAX(kBlock, kLanes);
  const BlockCode<Rule> code(grid);
  size_t i = 0;
  for (; i + kUnit <= count; i += kUnit) QuantizeUnit<kBlock, kSub>(code, x + i, out + i);
  if (i == count) return;
  // Zeros behind a block don't change it, and blocks of zeros are not read.
  float rest[kUnit] = {};
  std::memcpy(rest, x + i, (count - i) * sizeof(float));
  QuantizeUnit<kBlock, kSub>(code, rest, rest);
  std::memcpy(out + i, rest, (count - i) * sizeof(float));
}

/// kLanes neighbouring blocks; false, and nothing written, where one is not ordinary.
template <class Rule>
HWY_INLINE bool QuantizeLaneBlocks(const BlockCode<Rule>& code, const float* x, size_t rows, size_t stride, float* out,
                                   size_t out_stride) {
  const D d;
  VI largest = hn::Zero(DI());
  for (size_t row = 0; row < rows; ++row) largest = hn::Max(largest, Magnitude(hn::LoadU(d, x + row * stride)));
  if (HWY_UNLIKELY(!code.ordinary.All(largest))) return false;
  const VI exponent = code.ordinary.Exponent(largest);
  if (code.grid.sub_block_size == 0) {
    for (size_t row = 0; row < rows; ++row) {
      hn::StoreU(code.rule(hn::LoadU(d, x + row * stride), exponent), d, out + row * out_stride);
    }
    return true;
  }
  if constexpr (Rule::kHasSubBlocks) {
    const auto sub_block_size = static_cast<size_t>(code.grid.sub_block_size);
    for (size_t begin = 0; begin < rows; begin += sub_block_size) {
      const size_t end = HWY_MIN(begin + sub_block_size, rows);
      VI own = hn::Zero(DI());
      for (size_t row = begin; row < end; ++row) own = hn::Max(own, Magnitude(hn::LoadU(d, x + row * stride)));
      own = code.rule.SubBlockExponent(exponent, own);
      for (size_t row = begin; row < end; ++row) {
        hn::StoreU(code.rule(hn::LoadU(d, x + row * stride), own), d, out + row * out_stride);
      }
    }
  }
  return true;
}

constexpr size_t kTileRows = 64;

/// Element `row` of block `column` is x[row*strides.row + column*strides.column].
struct Strides {
  size_t row, column;
};

/// Up to kLanes blocks through a tile on the stack.
template <class Rule>
void ThroughTile(const BlockCode<Rule>& code, const float* x, size_t rows, size_t columns, const Strides& strides,
                 float* out) {
  float tile[kTileRows * kLanes] = {};
  for (size_t row = 0; row < rows; ++row) {
    for (size_t column = 0; column < columns; ++column) {
      tile[row * kLanes + column] = x[row * strides.row + column * strides.column];
    }
  }
  if (!QuantizeLaneBlocks(code, tile, rows, kLanes, tile, kLanes))
    reference::QuantizeBlockColumns(code.grid, tile, rows, kLanes, kLanes, tile);
  for (size_t row = 0; row < rows; ++row) {
    for (size_t column = 0; column < columns; ++column) {
      out[row * strides.row + column * strides.column] = tile[row * kLanes + column];
    }
  }
}

/// As QuantizeLaneBlocks with x and out of one stride. Rows far apart lie in as many pages, which the processor's own
/// prefetcher does not follow, and at powers of two in the same few places of the first cache: each line is asked for
/// in advance, from the second cache, and met once.
template <class Rule>
HWY_INLINE bool QuantizeFarRows(const BlockCode<Rule>& code, const float* x, size_t rows, size_t stride, float* out) {
  constexpr size_t kAhead = 8 * kLanes;
  alignas(64) float tile[kTileRows * kLanes];
  for (size_t row = 0; row < rows; ++row) {
    __builtin_prefetch(x + row * stride + kAhead, 0, 2);
    __builtin_prefetch(out + row * stride + kAhead, 0, 2);
    hn::Store(hn::LoadU(D(), x + row * stride), D(), tile + row * kLanes);
  }
  return QuantizeLaneBlocks(code, tile, rows, kLanes, out, stride);
}

template <class Rule>
void Across(const BlockGrid& grid, const float* x, size_t rows, size_t columns, size_t stride, float* out) {
  const BlockCode<Rule> code(grid);
  size_t column = 0;
  for (; column + kLanes <= columns; column += kLanes) {
    const bool done = rows <= kTileRows ? QuantizeFarRows(code, x + column, rows, stride, out + column)
                                        : QuantizeLaneBlocks(code, x + column, rows, stride, out + column, stride);
    if (!done) reference::QuantizeBlockColumns(grid, x + column, rows, kLanes, stride, out + column);
  }
  if (column == columns) return;
  if (rows > kTileRows) {
    reference::QuantizeBlockColumns(grid, x + column, rows, columns - column, stride, out + column);
  } else {
    ThroughTile(code, x + column, rows, columns - column, {.row = stride, .column = 1}, out + column);
  }
}

/// One block without sub-blocks.
template <class Rule>
void LargeBlock(const BlockCode<Rule>& code, const float* x, size_t count, float* out) {
  const D d;
  const size_t whole = count / kLanes * kLanes;
  float rest[kLanes] = {};
  std::memcpy(rest, x + whole, (count - whole) * sizeof(float));
  VI largest = Magnitude(hn::LoadU(d, rest));
  for (size_t i = 0; i < whole; i += kLanes) largest = hn::Max(largest, Magnitude(hn::LoadU(d, x + i)));
  largest = GroupMax<kLanes>(largest);
  if (!code.ordinary.All(largest)) return reference::QuantizeBlocks(code.grid, x, count, out);
  const VI exponent = code.ordinary.Exponent(largest);
  for (size_t i = 0; i < whole; i += kLanes) hn::StoreU(code.rule(hn::LoadU(d, x + i), exponent), d, out + i);
  hn::StoreU(code.rule(hn::LoadU(d, rest), exponent), d, rest);
  std::memcpy(out + whole, rest, (count - whole) * sizeof(float));
}

/// Blocks of any size in contiguous memory.
template <class Rule>
void AnySize(const BlockGrid& grid, const float* x, size_t count, float* out) {
  const auto block_size = static_cast<size_t>(grid.block_size);
  const BlockCode<Rule> code(grid);
  size_t i = 0;
  if (block_size > kTileRows && grid.sub_block_size == 0) {
    for (; i < count; i += HWY_MIN(block_size, count - i)) {
      LargeBlock(code, x + i, HWY_MIN(block_size, count - i), out + i);
    }
  } else if (block_size <= kTileRows) {
    while (count - i >= block_size) {
      const size_t blocks = HWY_MIN(kLanes, (count - i) / block_size);
      ThroughTile(code, x + i, block_size, blocks, {.row = 1, .column = block_size}, out + i);
      i += blocks * block_size;
    }
  }
  reference::QuantizeBlocks(grid, x + i, count - i, out + i);
}

template <class Rule>
void InMemory(const BlockGrid& grid, const float* x, size_t count, float* out) {
  if (grid.sub_block_size == 0) {
    if (grid.block_size == 8) return Contiguous<8, 1, Rule>(grid, x, count, out);
    if (grid.block_size == 16) return Contiguous<16, 1, Rule>(grid, x, count, out);
    if (grid.block_size == 32) return Contiguous<32, 1, Rule>(grid, x, count, out);
  }
  if constexpr (Rule::kHasSubBlocks) {
    if (grid.sub_block_size == 2 && grid.block_size == 16) return Contiguous<16, 2, Rule>(grid, x, count, out);
  }
  AnySize<Rule>(grid, x, count, out);
}

template <class Rule>
struct RuleType {};

/// Calls body(RuleType<the rule of the grid>); false where only the reference has it.
template <class Body>
bool WithRule(const BlockGrid& grid, const Body& body) {
  using Sign = ZeroSign;
  const Sign sign = grid.zero_sign;
  const bool of_quotient = sign == Sign::kOfStepQuotient || sign == Sign::kOfScaleQuotient;
  if (grid.element) {
    if (sign == Sign::kOfValue) body(RuleType<FloatRule<Sign::kOfValue> >());
    if (sign == Sign::kPositive) body(RuleType<FloatRule<Sign::kPositive> >());
    return !of_quotient;
  }
  // 1.5·2^23 holds 22 bits more.
  if (grid.raise_exponent || grid.magnitude_bits > 21) return false;
  if (grid.rounding == Rounding::kHalfEven) {
    if (sign == Sign::kOfValue) body(RuleType<FixedRule<Rounding::kHalfEven, Sign::kOfValue> >());
    if (sign == Sign::kPositive) body(RuleType<FixedRule<Rounding::kHalfEven, Sign::kPositive> >());
    if (sign == Sign::kOfStepQuotient) body(RuleType<FixedRule<Rounding::kHalfEven, Sign::kOfStepQuotient> >());
    if (sign == Sign::kOfScaleQuotient) body(RuleType<FixedRule<Rounding::kHalfEven, Sign::kOfScaleQuotient> >());
    return true;
  }
  if (grid.rounding == Rounding::kHalfAway) {
    if (sign == Sign::kOfValue) body(RuleType<FixedRule<Rounding::kHalfAway, Sign::kOfValue> >());
    if (sign == Sign::kPositive) body(RuleType<FixedRule<Rounding::kHalfAway, Sign::kPositive> >());
  } else {
    if (sign == Sign::kOfValue) body(RuleType<FixedRule<Rounding::kHalfUp, Sign::kOfValue> >());
    if (sign == Sign::kPositive) body(RuleType<FixedRule<Rounding::kHalfUp, Sign::kPositive> >());
  }
  return !of_quotient;
}

void BlocksInMemory(const BlockGrid& grid, const float* x, size_t count, float* out) {
  const bool done = WithRule(grid, [&]<class Rule>(RuleType<Rule>) HWY_ATTR { InMemory<Rule>(grid, x, count, out); });
  if (!done) reference::QuantizeBlocks(grid, x, count, out);
}

void BlocksAcross(const BlockGrid& grid, const float* x, size_t rows, size_t columns, size_t stride, float* out) {
  const bool done =
      WithRule(grid, [&]<class Rule>(RuleType<Rule>) HWY_ATTR { Across<Rule>(grid, x, rows, columns, stride, out); });
  if (!done) reference::QuantizeBlockColumns(grid, x, rows, columns, stride, out);
}
#endif  // HWY_TARGET == HWY_SCALAR

}  // namespace HWY_NAMESPACE
}  // namespace preon
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace preon {
HWY_EXPORT(BlocksInMemory);
HWY_EXPORT(BlocksAcross);

void QuantizeBlocks(const BlockGrid& grid, const float* x, size_t count, float* out) {
  HWY_DYNAMIC_DISPATCH(BlocksInMemory)(grid, x, count, out);
}
void QuantizeBlockColumns(const BlockGrid& grid, const float* x, size_t rows, size_t columns, size_t stride,
                          float* out) {
  HWY_DYNAMIC_DISPATCH(BlocksAcross)(grid, x, rows, columns, stride, out);
}
}  // namespace preon
#endif
