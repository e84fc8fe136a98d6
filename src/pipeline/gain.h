// Whether a quantized model is worth having.
#pragma once

#include <cstdint>
#include <string>

#include "eval/latency.h"

namespace preon {

/// What a speed that may be above or below that of float, and a few bytes more, count as.
enum class Doubt { kIsNoLoss, kIsNoGain };

/// What the verdict depends on.
struct ResultFigures {
  /// True also where nobody knows, or where the target means to run nothing in integers.
  bool has_integer_nodes = true;
  double integer_macs_share = 0;  ///< 0…1; 0: not known, too
  int64_t float_size_bytes = 0, quantized_size_bytes = 0;
  Speedup speedup;  ///< a median of 0: not measured, or on a made-up sample
};

/// Why a model that runs on this runtime had better stay float, as one clause: nothing of it or hardly anything runs in
/// integers, the file is larger, or the model is slower. Empty: it is worth having. Where nothing was measured, or on a
/// busy machine, the speed counts for nothing. docs/design/never-worse.md
std::string WhyNothingIsGained(const ResultFigures& figures, Doubt doubt);

/// The speed as one clause where it is measured to be below that of float, surely or not; else empty.
std::string WhyProbablySlower(const Speedup& speedup);

}  // namespace preon
