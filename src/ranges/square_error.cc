#include "ranges/square_error.h"

#include <algorithm>

namespace preon {

SquareError::SquareError(const Distribution& values) : count_(values.count()) {
  pieces_.reserve(values.bins().size() + 2);
  double end = 0;
  for (const auto& [low, high, count] : values.bins()) {
    if (low == 0 && high == 0) continue;
    if (!pieces_.empty() && end < low) AddPiece(end, 0, 0);
    const double width = high - low;
    AddPiece(low, width > 0 ? count / width : 0, width > 0 ? 0 : count);
    end = high;
    sum_ += count * (low + high) / 2;
    square_ += count * (low * low + low * high + high * high) / 3;
  }
  if (pieces_.empty()) return;
  AddPiece(end, 0, 0);
  constexpr size_t kCells = 8192;
  const double min = pieces_.front().start, width = end - min;
  cells_per_unit_ = width > 0 ? kCells / width : 0;
  piece_of_cell_.resize(kCells);
  uint32_t piece = 0;
  for (size_t cell = 0; cell < kCells; ++cell) {
    const double edge = min + width * static_cast<double>(cell) / kCells;
    while (piece + 1 < pieces_.size() && pieces_[piece + 1].start <= edge) ++piece;
    piece_of_cell_[cell] = piece;
  }
}

void SquareError::AddPiece(double start, double density, double count_at_start) {
  Piece piece = pieces_.empty() ? Piece{start, 0, 0, 0, 0} : At(start, pieces_.back());
  piece.count += count_at_start;
  piece.density = density;
  pieces_.push_back(piece);
}

SquareError::Piece SquareError::At(double b, const Piece& piece) {
  const double t = b - piece.start;
  if (t <= 0) return piece;  // only before the first piece, whose sums are 0
  const double count = piece.count + t * piece.density;
  const double first = piece.first + t * (piece.count + t / 2 * piece.density);
  const double second = piece.second + t * (piece.first + t / 2 * (piece.count + t / 3 * piece.density));
  return {b, piece.density, count, first, second};
}

size_t SquareError::Find(double b, size_t from) const {
  const double cell =
      std::clamp((b - pieces_.front().start) * cells_per_unit_, 0.0, static_cast<double>(piece_of_cell_.size() - 1));
  size_t piece = std::max<size_t>(from, piece_of_cell_[static_cast<size_t>(cell)]);
  while (piece + 1 < pieces_.size() && pieces_[piece + 1].start <= b) ++piece;
  return piece;
}

double SquareError::Of(const QuantParams& params, const IntFormat& format) const {
  if (pieces_.empty()) return 0;
  const CodeRange codes = CodesInUse(params, format);
  const double scale = params.scale;
  double gain = 0;
  size_t piece = 0;
  for (int64_t code = codes.min; code < codes.max; ++code) {
    const double boundary = scale * (static_cast<double>(code) - params.zero_point + 0.5);
    if (boundary <= pieces_.front().start) continue;
    piece = Find(boundary, piece);
    const Piece& at = pieces_[piece];
    const double t = std::max(0.0, boundary - at.start);
    gain += at.first + t * (at.count + t / 2 * at.density);
  }
  const double highest = scale * (static_cast<double>(codes.max) - params.zero_point);
  const double count = pieces_.back().count;
  return std::max(0.0, (count * highest - 2 * sum_) * highest + square_ - 2 * scale * gain) / count_;
}

double SquareError::Estimate(const QuantParams& params, const IntFormat& format) const {
  if (pieces_.empty()) return 0;
  const CodeRange codes = CodesInUse(params, format);
  const double scale = params.scale;
  const double lowest = scale * (static_cast<double>(codes.min) - params.zero_point);
  const double highest = scale * (static_cast<double>(codes.max) - params.zero_point);
  const Piece low = At(lowest, pieces_[Find(lowest, 0)]), high = At(highest, pieces_[Find(highest, 0)]);
  const double all = (pieces_.back().count * highest - 2 * sum_) * highest + square_;
  const double above = std::max(0.0, all - 2 * high.second);
  return (2 * low.second + above + scale * scale / 12 * (high.count - low.count)) / count_;
}

}  // namespace preon
