// QuantizeDequantize of tensors: where the blocks are, and how the work is cut up.
#include <algorithm>

#include "formats/block_codec.h"
#include "formats/block_view.h"
#include "kernels/quantize_blocks.h"

namespace preon {
namespace {

/// A piece of work: `rows` rows of `columns` neighbouring values, `stride` apart. One row: blocks follow one another in
/// it; several: each column is a block.
struct Piece {
  int64_t first, rows, columns, stride;
};

constexpr int64_t kTaskValues = 1 << 15;  // 128 KB: some microseconds, and both arrays in the second cache
constexpr int64_t kMostColumns = 4096;

class Work {
 public:
  explicit Work(const BlockView& view) : view_(view) {
    if (view.inner > 1) {
      column_pieces_ = (view.inner + kMostColumns - 1) / kMostColumns;
      count_ = view.outer * view.PerLine(view.block_size) * column_pieces_;
    } else if (view.outer == 1 || view.extent % view.block_size == 0) {
      run_ = std::max(kTaskValues / view.block_size, int64_t{1}) * view.block_size;
      count_ = (view.count() - 1) / run_ + 1;
    } else {
      count_ = view.outer;
    }
  }

  int64_t count() const { return count_; }

  Piece piece(int64_t index) const {
    if (run_ > 0) return {index * run_, 1, std::min(run_, view_.count() - index * run_), 0};
    if (view_.inner == 1) return {index * view_.extent, 1, view_.extent, 0};
    const int64_t column = index % column_pieces_ * kMostColumns, block = index / column_pieces_;
    const int64_t per_line = view_.PerLine(view_.block_size);
    const int64_t row = block % per_line * view_.block_size;
    return {(block / per_line * view_.extent + row) * view_.inner + column,
            std::min(view_.block_size, view_.extent - row), std::min(kMostColumns, view_.inner - column), view_.inner};
  }

 private:
  BlockView view_;
  int64_t count_ = 0, column_pieces_ = 1;
  int64_t run_ = 0;  // lines that end with a block follow one another: cut anywhere between blocks
};

void QuantizePiece(const BlockGrid& grid, bool bfloat_first, const Piece& piece, const float* x, float* out) {
  const float* from = x + piece.first;
  float* to = out + piece.first;
  const auto rows = static_cast<size_t>(piece.rows), columns = static_cast<size_t>(piece.columns);
  const auto stride = static_cast<size_t>(piece.stride);
  if (bfloat_first) {
    for (size_t row = 0; row < rows; ++row) {
      RoundToMiniFloat(kE8M7, Overflow::kInfinity, from + row * stride, columns, to + row * stride);
    }
    from = to;
  }
  if (stride == 0) {
    QuantizeBlocks(grid, from, columns, to);
  } else {
    QuantizeBlockColumns(grid, from, rows, columns, stride, to);
  }
}

}  // namespace

Status QuantizeDequantize(const BlockSpec& spec, std::span<const int64_t> shape, int64_t axis, const float* x,
                          float* out, const ParallelFor& parallel) {
  PREON_ASSIGN_OR_RETURN(const BlockView view, ViewBlocks(shape, axis, spec.block_size));
  const int64_t count = view.count();
  if (count == 0) return Status::Ok();
  if (count == 1 && spec.numerics == Numerics::kCompat) {
    *out = *x;
    if (spec.bfloat_first) RoundToMiniFloat(kE8M7, Overflow::kInfinity, x, 1, out);
    return Status::Ok();
  }
  const BlockGrid grid = GridOf(spec);
  const Work work(view);
  const int64_t pieces_per_task = std::max(kTaskValues * work.count() / count, int64_t{1});
  const int64_t tasks = (work.count() + pieces_per_task - 1) / pieces_per_task;
  parallel(static_cast<size_t>(tasks), [&](size_t task) {
    const int64_t begin = static_cast<int64_t>(task) * pieces_per_task;
    const int64_t end = std::min(begin + pieces_per_task, work.count());
    for (int64_t index = begin; index < end; ++index) {
      QuantizePiece(grid, spec.bfloat_first, work.piece(index), x, out);
    }
  });
  return Status::Ok();
}

}  // namespace preon
