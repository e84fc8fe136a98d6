// Inside formats/: where the blocks of a tensor lie.
#pragma once

#include <algorithm>
#include <span>

#include "formats/axis_view.h"

namespace preon {

/// A tensor as [outer][extent][inner], blocks along `extent`.
struct BlockView {
  int64_t outer = 1, extent = 1, inner = 1, block_size = 1;

  int64_t count() const { return outer * extent * inner; }
  /// Blocks, or sub-blocks, per line.
  int64_t PerLine(int64_t size) const { return extent == 0 ? 0 : (extent - 1) / size + 1; }
  int64_t blocks() const { return outer * PerLine(block_size) * inner; }
};

/// One block: rows `inner` apart, from `first` on.
struct BlockPlace {
  int64_t first, rows;
  int64_t block;  ///< its place in the order of blocks
};

/// Negative axes count from the back; tensors of rank 0 and 1 have one axis. Errors: kFormatAxis.
inline Result<BlockView> ViewBlocks(std::span<const int64_t> shape, int64_t axis, int64_t block_size) {
  const auto rank = static_cast<int64_t>(shape.size());
  if (rank <= 1) return BlockView{1, rank == 0 ? 1 : shape[0], 1, block_size};
  if (axis < -rank || axis >= rank) {
    return Error(ErrorId::kFormatAxis, "axis: got ", axis, " for shape ", ShapeToString({shape.begin(), shape.end()}),
                 ", wanted ", -rank, " to ", rank - 1);
  }
  PREON_ASSIGN_OR_RETURN(const AxisView view, ViewAlong(shape, static_cast<int>(axis < 0 ? axis + rank : axis)));
  return BlockView{view.outer, view.channels, view.inner, block_size};
}

/// Calls body(place) for every block, in the order of memory.
template <typename Body>
void ForEachBlock(const BlockView& view, const Body& body) {
  const int64_t per_line = view.PerLine(view.block_size);
  int64_t block = 0;
  for (int64_t outer = 0; outer < view.outer; ++outer) {
    for (int64_t in_line = 0; in_line < per_line; ++in_line) {
      const int64_t row = in_line * view.block_size;
      const int64_t rows = std::min(view.block_size, view.extent - row);
      for (int64_t inner = 0; inner < view.inner; ++inner) {
        body(BlockPlace{(outer * view.extent + row) * view.inner + inner, rows, block++});
      }
    }
  }
}

}  // namespace preon
