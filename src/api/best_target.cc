// `quantize`: the chosen target, and where it gains nothing, those that the target names in its place.
#include "api/crypto/crypto_run.h"
#include "api/judge/other_target.h"
#include "api/quantize_for_target.h"
#include "api/verbs.h"
#include "pipeline/output.h"

namespace preon {
namespace {

// The speed of this runtime is what the target is for, and no other tool's numbers are wanted.
bool IsForSpeedHere(const Target& target, Compat compat) { return target.FollowsRuntime() && compat == Compat::kOff; }

WithoutGain WhatBecomes(const Target& target, Compat compat, bool is_asked_for) {
  if (!IsForSpeedHere(target, compat)) return WithoutGain::kIsWritten;
  return is_asked_for ? WithoutGain::kIsWarnedOf : WithoutGain::kIsRefused;
}

bool GainsNothing(const Status& status) {
  return status.id() == ErrorId::kNothingToGain || status.id() == ErrorId::kNothingToQuantize;
}

// One clause, beside the target's name.
std::string WhyPassedOver(const Status& status) {
  return status.id() == ErrorId::kNothingToQuantize ? "nothing can be quantized" : status.message();
}

// The same run with another target; `choices` are those of `options`.
Result<QuantizeResult> TryTarget(const std::string& model, const Options& options, Choices choices, RunInputs& run,
                                 const Judgement& judgement) {
  RunInputs again{options, run.builtins, std::move(run.clock), run.context, std::move(choices), run.samples};
  Result<QuantizeResult> result = QuantizeForTarget(model, again, judgement);
  run.clock = std::move(again.clock);
  return result;
}

// The first target whose result is smaller and as fast as float, and better than one in doubt. Errors: kNothingToGain
// with the reasons of all, kCancelled.
Result<QuantizeResult> TryOthers(const std::string& model, RunInputs& run, const std::vector<OtherTarget>& others,
                                 Judgement judgement) {
  judgement.without_gain = WithoutGain::kIsRefused;
  judgement.doubt = Doubt::kIsNoGain;
  // Far from float: what computes in float would hardly be as fast.
  const bool is_slow = judgement.first && judgement.first->speedup.median > 0 && judgement.first->speedup.median < 1;
  for (const OtherTarget& other : others) {
    const Options options = WithTarget(other, run.options);
    Result<Choices> choices = Resolve(options, run.builtins);
    if (!choices.ok()) continue;  // the user's options are not for this target
    if (judgement.first && !is_slow && !choices.value().target->QuantizesActivations()) continue;
    Result<QuantizeResult> result = TryTarget(model, options, std::move(choices).value(), run, judgement);
    if (result.ok() || result.status().id() == ErrorId::kCancelled) return result;
    judgement.passed_over.push_back({other.name, WhyPassedOver(result.status())});
  }
  std::string reasons;
  for (const auto& [target, reason] : judgement.passed_over)
    reasons += StrCat(reasons.empty() ? "" : "; ", "with target ", target, " ", reason);
  return Error(ErrorId::kNothingToGain, model, ": nothing to gain, not written: ", reasons)
      .WithHint("--always-write writes the result all the same");
}

Result<QuantizeResult> WithBestTarget(const std::string& model, RunInputs& run) {
  const Target& chosen = *run.choices.target;
  Judgement judgement{.without_gain = WhatBecomes(chosen, run.choices.plan.compat, run.options.target.has_value())};
  const bool may_try_others = judgement.without_gain == WithoutGain::kIsRefused;
  const std::vector<OtherTarget> others = chosen.InsteadOfIt();
  if (may_try_others) {
    judgement.instead = [&](const InDoubt& first) {
      return TryOthers(model, run, others, {.first = first.figures, .passed_over = {first.why}});
    };
  }
  Result<QuantizeResult> first = QuantizeForTarget(model, run, judgement);
  if (first.ok() || !may_try_others || !GainsNothing(first.status())) return first;
  Result<QuantizeResult> other =
      TryOthers(model, run, others, {.passed_over = {{std::string(chosen.name()), WhyPassedOver(first.status())}}});
  const bool nothing_at_all = first.status().id() == ErrorId::kNothingToQuantize;
  return nothing_at_all && !other.ok() && GainsNothing(other.status()) ? first : other;
}

// A file that is larger than --size allows: first with nothing in float for accuracy, then with weights of fewer bits.
Result<QuantizeResult> MakeSmaller(const std::string& model, RunInputs& run, Result<QuantizeResult> result) {
  Options options = run.options;
  const auto is_larger = [&] { return !result.ok() && result.status().id() == ErrorId::kSizeNotReached; };
  if (is_larger() && !options.budget && options.ranges.method == "auto") {
    options.budget = 0;
    Result<Choices> choices = Resolve(options, run.builtins);
    if (!choices.ok()) return result;  // a target that leaves no layer in float for accuracy, nor has it fewer bits
    RunInputs again{options, run.builtins, std::move(run.clock), run.context, std::move(choices).value(), run.samples};
    result = WithBestTarget(model, again);
    run.clock = std::move(again.clock);
  }
  options.size.mixes = true;
  if (!is_larger() || run.choices.fewer_bits) return result;
  Result<Choices> choices = Resolve(options, run.builtins);
  if (!choices.ok() || !choices.value().fewer_bits) return result;
  Result<QuantizeResult> mixed = TryTarget(model, options, std::move(choices).value(), run, {});
  const bool says_more =
      mixed.ok() || mixed.status().id() == ErrorId::kSizeNotReached || mixed.status().id() == ErrorId::kCancelled;
  return says_more ? mixed : result;  // else, for example, statistics are of the other target
}

}  // namespace

Status MissingSamples() { return MissingData("quantize", "--data SRC or --calib FILE"); }

Result<QuantizeResult> QuantizeForBestTarget(const std::string& model, RunInputs& run) {
  return MakeSmaller(model, run, WithBestTarget(model, run));
}

Result<std::variant<QuantizeResult, CryptoRunResult>> QuantizeVerb(const std::string& model, RunInputs& run) {
  using Either = std::variant<QuantizeResult, CryptoRunResult>;
  if (IsCryptoRun(model, run.options.crypto)) {
    if (!run.samples.open) return MissingSamples();  // of failures inside of the run nothing is told
    PREON_ASSIGN_OR_RETURN(CryptoRunResult untold, QuantizeInCryptoMode(model, run, QuantizeForBestTarget));
    return Either(std::move(untold));
  }
  PREON_ASSIGN_OR_RETURN(QuantizeResult result, QuantizeForBestTarget(model, run));
  return Either(std::move(result));
}

}  // namespace preon
