// Is a result better than the float model, or than another target's? Judged before it is written.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "pipeline/gain.h"
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
  TargetFigures figures;
};

/// How a result is judged before it is written.
struct Judgement {
  WithoutGain without_gain = WithoutGain::kIsWritten;
  Doubt doubt = Doubt::kIsNoLoss;
  std::optional<TargetFigures> first;   ///< of the result whose place this one would take
  std::vector<PassedOver> passed_over;  ///< targets tried before; the result says so
  /// Asked where the result is in doubt (WhyInDoubt): a result of another target, already written, or kNothingToGain.
  /// Empty: none is asked for.
  std::function<Result<QuantizeResult>(const InDoubt& first)> instead;
};

/// What a result does not say of itself.
struct GainQuestion {
  bool made_up_samples = false;     ///< neither speed nor error mean anything
  bool is_our_choice = false;       ///< preon chose the ranges, not the user
  bool computes_in_bodies = false;  ///< nodes in bodies of loops, which nobody counts
  bool always_write = false;
};

/// Warns of a result that gains nothing, or refuses it, as `judgement` says.
///
/// @return  the result of another target, already written, where that is to take its place
/// Errors: kNothingToGain; kCancelled.
Result<std::optional<QuantizeResult>> JudgeGain(const Judgement& judgement, const GainQuestion& question,
                                                QuantizeResult& result);

}  // namespace preon
