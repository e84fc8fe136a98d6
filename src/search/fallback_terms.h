// What layers in float must bring for the time that they cost (docs/design/fallback.md, What a decibel is worth).
#pragma once

#include <optional>
#include <string>

#include "pipeline/gain.h"

namespace preon {

inline constexpr double kEnoughOfPoorDb = 22;                  // of a result that was below kPoorDb
inline constexpr double kBudget = 0.03, kBudgetOfPoor = 0.25;  // of the time

struct FallbackTerms {
  double budget;      ///< share of the time
  double missing_db;  ///< until the result is no longer poor

  /// Of a result with this SQNR.
  static FallbackTerms Of(double sqnr_db, std::optional<double> budget);
  /// The share of the time that a gain is worth.
  double Worth(double gain_db) const;
  bool Pays(double gain_db, double cost) const;
  /// What layers have to do to pay: "gain 0.3 dB or more, ...".
  std::string Text() const;
};

}  // namespace preon
