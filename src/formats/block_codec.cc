// Codes of block formats: with the reference arithmetic, block by block.
#include "formats/block_codec.h"

#include <cmath>
#include <limits>

#include "formats/block_view.h"
#include "kernels/quantize_blocks.h"

namespace preon {
namespace {

/// Codes of elements, of one spec.
class ElementCodes {
 public:
  explicit ElementCodes(const BlockSpec& spec)
      : element_(spec.element),
        magnitude_bits_(spec.magnitude_bits()),
        twos_complement_(spec.raise_exponent || spec.family == BlockSpec::Family::kMx) {}

  /// @param units  as of reference::RoundedElement
  uint32_t CodeOf(double units) const {
    if (element_) return reference::MiniFloatCode(*element_, Overflow::kSaturate, static_cast<float>(units));
    const auto magnitude = static_cast<uint32_t>(std::abs(units));
    const bool negative = std::signbit(units);
    if (!twos_complement_) return (negative ? 1u << magnitude_bits_ : 0) | magnitude;
    return (negative ? 0 - magnitude : magnitude) & ((2u << magnitude_bits_) - 1);
  }

  double UnitsOf(uint32_t code) const {
    if (element_) return reference::MiniFloatValue(*element_, code);
    const uint32_t sign = 1u << magnitude_bits_;
    const double low_bits = code & (sign - 1);
    if (!(code & sign)) return low_bits;
    return twos_complement_ ? low_bits - sign : -low_bits;
  }

 private:
  std::optional<MiniFloat> element_;
  int magnitude_bits_;
  bool twos_complement_;
};

/// Calls body(first_row, rows, index) for the sub-blocks of a block; index -1 where there are none.
template <typename Body>
void ForEachSubBlock(const BlockGrid& grid, const BlockView& view, const BlockPlace& place, const Body& body) {
  if (grid.sub_block_size == 0) return body(int64_t{0}, place.rows, int64_t{-1});
  // The line's sub-blocks are numbered like its blocks, only finer.
  const int64_t inner = place.block % view.inner, line_block = place.block / view.inner;
  const int64_t blocks_per_line = view.PerLine(view.block_size), subs_per_line = view.PerLine(grid.sub_block_size);
  const int64_t outer = line_block / blocks_per_line;
  int64_t sub = line_block % blocks_per_line * (view.block_size / grid.sub_block_size);
  for (int64_t row = 0; row < place.rows; row += grid.sub_block_size, ++sub) {
    const int64_t rows = std::min(grid.sub_block_size, place.rows - row);
    body(row, rows, (outer * subs_per_line + sub) * view.inner + inner);
  }
}

int64_t SubBlocks(const BlockGrid& grid, const BlockView& view) {
  return grid.sub_block_size == 0 ? 0 : view.outer * view.PerLine(grid.sub_block_size) * view.inner;
}

Status CheckSize(const char* what, size_t got, int64_t wanted) {
  if (got == static_cast<size_t>(wanted)) return Status::Ok();
  return Error(ErrorId::kPackedSize, what, ": got ", got, ", wanted ", wanted);
}

constexpr int kExponentBias = 127;

}  // namespace

Result<BlockCodes> Encode(const BlockSpec& spec, std::span<const int64_t> shape, int64_t axis, const float* x) {
  PREON_ASSIGN_OR_RETURN(const BlockView view, ViewBlocks(shape, axis, spec.block_size));
  const BlockGrid grid = GridOf(spec);
  const ElementCodes element_codes(spec);
  BlockCodes codes;
  codes.elements.resize(static_cast<size_t>(view.count()));
  codes.exponents.resize(static_cast<size_t>(view.blocks()));
  codes.shifts.resize(static_cast<size_t>(SubBlocks(grid, view)));
  std::vector<float> rounded;
  if (spec.bfloat_first) {
    rounded.resize(codes.elements.size());
    RoundToMiniFloat(kE8M7, Overflow::kInfinity, x, rounded.size(), rounded.data());
    x = rounded.data();
  }
  if (!grid.nan_block) {
    for (int64_t i = 0; i < view.count(); ++i) {
      if (std::isfinite(x[i])) continue;
      return Error(ErrorId::kNotRepresentable, "value ", i, " is ", x[i],
                   ", wanted finite values: only the strict form of this type can store NaN");
    }
  }
  const auto stride = static_cast<size_t>(view.inner);
  ForEachBlock(view, [&](const BlockPlace& place) {
    const float* block = x + place.first;
    const auto exponent = reference::BlockExponent(grid, block, static_cast<size_t>(place.rows), stride);
    codes.exponents[place.block] = exponent ? static_cast<int16_t>(*exponent) : BlockCodes::kNaN;
    if (!exponent) return;  // all codes 0
    bool all_zero = true;
    ForEachSubBlock(grid, view, place, [&](int64_t first_row, int64_t rows, int64_t sub) {
      const float* from = block + first_row * view.inner;
      const int shift = reference::SubBlockShift(grid, *exponent, from, static_cast<size_t>(rows), stride);
      if (sub >= 0) codes.shifts[sub] = static_cast<uint8_t>(shift);
      for (int64_t row = 0; row < rows; ++row) {
        const int64_t i = place.first + (first_row + row) * view.inner;
        const double units = reference::RoundedElement(grid, *exponent, shift, x[i]);
        codes.elements[i] = element_codes.CodeOf(units);
        all_zero = all_zero && units == 0;
      }
    });
    // Any scale will do; one that has a byte is better.
    if (all_zero) codes.exponents[place.block] = std::max<int16_t>(codes.exponents[place.block], -kExponentBias);
  });
  return codes;
}

Status Decode(const BlockSpec& spec, std::span<const int64_t> shape, int64_t axis, const BlockCodes& codes,
              float* out) {
  PREON_ASSIGN_OR_RETURN(const BlockView view, ViewBlocks(shape, axis, spec.block_size));
  const BlockGrid grid = GridOf(spec);
  PREON_RETURN_IF_ERROR(CheckSize("element codes", codes.elements.size(), view.count()));
  PREON_RETURN_IF_ERROR(CheckSize("exponents", codes.exponents.size(), view.blocks()));
  PREON_RETURN_IF_ERROR(CheckSize("shifts", codes.shifts.size(), SubBlocks(grid, view)));
  const ElementCodes element_codes(spec);
  ForEachBlock(view, [&](const BlockPlace& place) {
    const int16_t exponent = codes.exponents[place.block];
    ForEachSubBlock(grid, view, place, [&](int64_t first_row, int64_t rows, int64_t sub) {
      const int shift = sub < 0 ? 0 : codes.shifts[sub];
      for (int64_t row = 0; row < rows; ++row) {
        const int64_t i = place.first + (first_row + row) * view.inner;
        out[i] = exponent == BlockCodes::kNaN
                     ? std::numeric_limits<float>::quiet_NaN()
                     : reference::ElementValue(grid, exponent, shift, element_codes.UnitsOf(codes.elements[i]));
      }
    });
  });
  return Status::Ok();
}

}  // namespace preon
