// Whether a quantized model is worth having.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/status.h"
#include "config/options.h"
#include "decide/alarm.h"
#include "eval/interval.h"
#include "eval/latency.h"
#include "ir/graph.h"
#include "quantize/plan/quant_plan.h"
#include "quantize/plan/target.h"

namespace preon {

/// What a speed that may be above or below that of float, and a few bytes more, count as.
enum class Doubt { kIsNoLoss, kIsNoGain };

/// What the verdict depends on.
struct ResultFigures {
  /// True also where nobody knows, or where the target means to run nothing in integers.
  bool has_integer_nodes = true;
  std::optional<double> integer_macs_share;  ///< 0…1; none: not known
  int64_t float_size_bytes = 0, quantized_size_bytes = 0;
  Speedup speedup;  ///< a median of 0: not measured, or on a made-up sample
  /// Of the worst output on real samples, where preon chose all that it depends on.
  std::optional<double> sqnr_db;
  std::optional<double> agreement;  ///< of the top class, 0…1
};

/// Why a model that runs on this runtime had better stay float, as one clause: nothing of it or hardly anything runs in
/// integers, its outputs are lost, the file is larger, or hardly smaller and not faster, or the model is slower. Empty:
/// it is worth having. Where nothing was measured, or on a busy machine, the speed counts for nothing.
/// docs/design/never-worse.md
std::string WhyNothingIsGained(const ResultFigures& figures, Doubt doubt);

/// What one target gives, beside what another one gives.
struct TargetFigures {
  int64_t size_bytes = 0;         ///< of the file; 0: not known
  double integer_macs_share = 0;  ///< 0…1; 0: not known, too
  double sqnr_db = 0;             ///< of the worst output
  std::optional<ConfidenceInterval> sqnr_interval;
  Speedup speedup;  ///< as in ResultFigures
};

/// Why other targets are worth a try although the result is worth having, as one clause: it is measured to be slower
/// than float, surely or not; it is far from float, much farther for some samples than for others, so that scales found
/// in each run may serve it better; or most of the work is done in float. Empty: they are not. Where the speed is not
/// known, only the last two count.
std::string WhyInDoubt(const TargetFigures& first);

/// Why the result of another target, no larger and no slower than float, does not take the place of the first one,
/// which is in doubt; empty: it does. It may be larger than that by an eighth.
std::string WhyNotInstead(const TargetFigures& first, const TargetFigures& other);

/// That a speed below that of float was measured on a busy machine, which therefore decides nothing; empty: it was not.
std::string WarningOfBusySpeed(const Speedup& speedup);

/// NothingLeft, with a hint: names of the user's that nothing has, float16 that stays, nodes of ONNX Runtime's
/// optimizer.
/// @param graph  the rewritten one, which `plan` is of
Status NothingToQuantize(const QuantPlan& plan, const Graph& graph, size_t source_nodes, const Target& target,
                         std::optional<Float16> float16);

}  // namespace preon
