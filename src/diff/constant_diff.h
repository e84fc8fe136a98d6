// How far the constants of two models are from each other.
#pragma once

#include <optional>
#include <string>

#include "quantize/read/float_view.h"

namespace preon {

/// Of a constant, or of its codes, that both have.
struct ChangedValues {
  /// Of b against a: 10·log10(Σ a² / Σ (a - b)²); nullopt where shapes or types don't let them be compared.
  std::optional<double> sqnr_db, max_abs;
  std::optional<double> codes_differ;  ///< share, 0…1, where both are codes of one type
};

/// Of a constant that both models have, under the name of each; nullopt where type and values are the same.
std::optional<ChangedValues> DiffConstants(const FloatView& a, const std::string& of_a, const FloatView& b,
                                           const std::string& of_b);

}  // namespace preon
