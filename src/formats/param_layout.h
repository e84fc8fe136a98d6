// ParamLayout: which scale and zero point an element of a tensor has.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "formats/block_view.h"

namespace preon {

/// Parameters lie in the tensor's order: one for all, one per index of an axis, or (ONNX QuantizeLinear's `block_size`)
/// one per `block_size` neighbours along an axis, the last block of a line possibly short.
class ParamLayout {
 public:
  static ParamLayout PerTensor(int64_t count) { return ParamLayout({1, 1, count, 1}); }
  /// [outer][channels][inner]: one per channel.
  static ParamLayout PerAxis(const AxisView& view) { return ParamLayout({view.outer, view.channels, view.inner, 1}); }
  /// Axis -rank…rank-1. Errors: kFormatAxis, also for scalars, which have none.
  static Result<ParamLayout> PerAxis(std::span<const int64_t> shape, int64_t axis);
  /// Errors: kFormatAxis, kFormatAttribute for sizes below 1.
  static Result<ParamLayout> PerBlock(std::span<const int64_t> shape, int64_t axis, int64_t block_size);

  /// How many parameters there are.
  int64_t params() const { return blocked_ ? view_.blocks() : view_.extent; }
  int64_t count() const { return view_.count(); }

  /// Calls run(from, count, param, to) for neighbours that share parameter `param`. Where neighbours don't, because the
  /// axis is the last or blocks lie across memory, a tile of columns is turned into rows and back.
  template <typename From, typename To, typename Run>
  void ForEachRun(const From* x, To* out, const Run& run) const {
    if (!blocked_ && view_.inner == 1) return ForEachColumn(x, out, 0, view_.outer, view_.extent, run);
    if (!blocked_) {
      for (int64_t line = 0; line < view_.outer * view_.extent; ++line) {
        run(x + line * view_.inner, view_.inner, line % view_.extent, out + line * view_.inner);
      }
      return;
    }
    int64_t param = 0, first = 0;
    for (int64_t line = 0; line < view_.outer; ++line) {
      for (int64_t row = 0; row < view_.extent; row += view_.block_size) {
        const int64_t rows = std::min(view_.block_size, view_.extent - row);
        ForEachColumn(x + first, out + first, param, rows, view_.inner, run);
        param += view_.inner;
        first += rows * view_.inner;
      }
    }
  }

 private:
  explicit ParamLayout(const BlockView& view, bool blocked = false) : view_(view), blocked_(blocked) {}

  /// Column k of [rows][columns] has parameter param + k.
  template <typename From, typename To, typename Run>
  static void ForEachColumn(const From* x, To* out, int64_t param, int64_t rows, int64_t columns, const Run& run) {
    if (columns == 1) return run(x, rows, param, out);
    constexpr int64_t kRows = 256, kColumns = 16;  // a cache line of floats; the tile stays in the first cache
    std::vector<From> from(kRows * kColumns);
    std::vector<To> to(kRows * kColumns);
    for (int64_t row_0 = 0; row_0 < rows; row_0 += kRows) {
      const int64_t tile_rows = std::min(kRows, rows - row_0);
      for (int64_t column_0 = 0; column_0 < columns; column_0 += kColumns) {
        const int64_t tile_columns = std::min(kColumns, columns - column_0), corner = row_0 * columns + column_0;
        for (int64_t row = 0; row < tile_rows; ++row) {
          const From* source = x + corner + row * columns;
          for (int64_t column = 0; column < tile_columns; ++column) from[column * kRows + row] = source[column];
        }
        for (int64_t column = 0; column < tile_columns; ++column) {
          run(&from[column * kRows], tile_rows, param + column_0 + column, &to[column * kRows]);
        }
        for (int64_t row = 0; row < tile_rows; ++row) {
          To* target = out + corner + row * columns;
          for (int64_t column = 0; column < tile_columns; ++column) target[column] = to[column * kRows + row];
        }
      }
    }
  }

  BlockView view_;
  bool blocked_;
};

}  // namespace preon
