// Rotation: an orthogonal matrix of Hadamard matrices, applied without being built.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace preon {

enum class RotationKind {
  kHadamard,    ///< H / sqrt(n), of Sylvester's and Paley's constructions
  kRandom,      ///< the same with columns of random signs
  kKeepsMeans,  ///< Hᵀ diag(±1) H / n with +1 in front: vectors of one value stay, and so do the means of all vectors
};

/// All of its entries are about 1 / sqrt(n) in size, so that what is large in one channel spreads over all.
/// Source: Ashkboos et al. 2024, "QuaRot", section 3. kKeepsMeans commutes with LayerNormalization as well as with the
/// normalization by the root of the mean square.
class Rotation {
 public:
  /// Nullopt for sizes without a matrix: those that are not m · 2^p with m = 1, or m - 1 or m / 2 - 1 a prime that
  /// Paley's constructions take. Signs are the same in every run.
  static std::optional<Rotation> Make(int64_t size, RotationKind kind);

  size_t size() const { return signs_.size(); }
  /// The row vector becomes its product with the matrix.
  void Apply(std::span<double> vector) const;

 private:
  Rotation(std::vector<std::vector<int8_t>> base, RotationKind kind, int64_t size);
  /// By H or its transpose.
  void Multiply(std::span<double> vector, bool transposed) const;

  std::vector<std::vector<int8_t>> base_;  // Hadamard, first row all 1; H = base ⊗ Sylvester's
  RotationKind kind_;
  std::vector<double> signs_;
};

}  // namespace preon
