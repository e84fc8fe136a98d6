// Alarms: what is wrong with a result, whatever was required of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "decide/stored_weights.h"
#include "eval/compare_models.h"
#include "eval/latency.h"

namespace preon {

/// SQNR below which classes and boxes get lost (docs/design/fallback.md).
inline constexpr double kPoorDb = 20;
/// Below, the error is half of the signal.
inline constexpr double kLostDb = 6;

struct Alarm {
  std::string
      id;  ///< low_sqnr, low_scores, low_agreement, constant_output, not_finite, saturated_output, slower, large_file
  std::string message;
};

/// What alarms look at.
struct AlarmFigures {
  const Comparison& compare;  ///< of real samples; else nothing of it counts
  Speedup speedup;            ///< a median of 0: not measured, or not what the model is for
  int64_t float_size_bytes = 0, quantized_size_bytes = 0;
  StoredWeights stored;
};

/// In the order of the table in docs/design/figures.md.
std::vector<Alarm> FindAlarms(const AlarmFigures& figures);

}  // namespace preon
