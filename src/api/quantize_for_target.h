// One run of `quantize` with the target that the options chose; verb_quantize.cc.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/gain.h"
#include "pipeline/run_inputs.h"
#include "report/results/results.h"

namespace preon {

/// What becomes of a result that gains nothing over float (gain.h).
enum class WithoutGain {
  kIsWritten,
  kIsWarnedOf,  ///< and written
  kIsRefused,   ///< kNothingToGain, with the reason as the message; with --always-write as kIsWarnedOf
};

/// A result that another target's may be better than.
struct InDoubt {
  PassedOver why;
  int64_t size_bytes;  ///< of the file
  TargetFigures figures;
};

/// How a result is judged before it is written.
struct Judgement {
  WithoutGain without_gain = WithoutGain::kIsWritten;
  Doubt doubt = Doubt::kIsNoLoss;
  std::optional<int64_t> largest_bytes;  ///< of the file, where that is not what the float model's takes
  std::optional<TargetFigures> first;    ///< of the result whose place this one would take
  std::vector<PassedOver> passed_over;   ///< targets tried before; the result says so
  /// Asked where the result is in doubt (WhyInDoubt): a result of another target, already written, or kNothingToGain.
  /// Empty: none is asked for.
  std::function<Result<QuantizeResult>(const InDoubt& first)> instead;
};

Result<QuantizeResult> QuantizeForTarget(const std::string& model, RunInputs& run, const Judgement& judgement);

}  // namespace preon
