// SquareError: the mean square quantization error of many candidate parameters over one distribution.
#pragma once

#include <cstdint>
#include <vector>

#include "formats/int_format.h"
#include "ranges/histogram_math.h"

namespace preon {

/// ExpectedQuantizationError walks all bins for each candidate; this one prepares them once, for searches.
///
/// With codes at s·k, k = low…high, and G(b) = E[max(b - x, 0)]: taking the values below a boundary b, half a step from
/// two codes, from the upper code to the lower one changes the mean square by -2 s G(b). So
///
///   E(x - x')² = E(x - s·high)² - 2 s Σ G(s (k + 1/2)) over low <= k < high,
///
/// and G, whose second derivative is the density, is a quadratic wherever the density is constant.
class SquareError {
 public:
  explicit SquareError(const Distribution& values);

  /// What ExpectedQuantizationError gives, but for rounding (some 1e-15 of the largest square). Cost: a look-up per
  /// code, some nanoseconds each. For up to 16 bits.
  double Of(const QuantParams& params, const IntFormat& format) const;

  /// The same for steps that are narrow beside what the density does: scale² / 12 inside the codes' interval (exact
  /// zeros apart, which have no error), exact outside. Cost: two look-ups.
  double Estimate(const QuantParams& params, const IntFormat& format) const;

 private:
  /// From `start` to the next piece the density is constant. At `start`: the count below (values at it included), and
  /// its integrals, Σ (start - x) and Σ (start - x)² / 2 over the values below.
  struct Piece {
    double start, density, count, first, second;
  };

  void AddPiece(double start, double density, double count_at_start);
  /// The last piece that begins at or below b, but not before `from`.
  size_t Find(double b, size_t from) const;
  /// The piece continued to b, at or past its start; before the first piece all are 0.
  static Piece At(double b, const Piece& piece);

  std::vector<Piece> pieces_;  ///< without exact zeros
  double count_;               ///< with exact zeros
  double sum_ = 0, square_ = 0;
  // Cells of equal width over [min, max]; the last piece that begins at or below the left edge of each.
  double cells_per_unit_ = 0;
  std::vector<uint32_t> piece_of_cell_;
};

}  // namespace preon
