#include "api/judge/judge_gain.h"

#include <utility>

#include "eval/compare_models.h"

namespace preon {
namespace {

// None where no multiply-accumulates are known, or none of those in integers.
std::optional<double> IntegerShareOf(const std::optional<Placement>& placement, bool computes_in_bodies) {
  if (!placement) return std::nullopt;
  const bool is_known = placement->integer_macs_share > 0 || (placement->float_anchors > 0 && !computes_in_bodies);
  return is_known ? std::optional(placement->integer_macs_share) : std::nullopt;
}

}  // namespace

Result<std::optional<QuantizeResult>> JudgeGain(const Judgement& judgement, const GainQuestion& question,
                                                QuantizeResult& result) {
  std::optional<QuantizeResult> none;
  if (judgement.without_gain == WithoutGain::kIsWritten) return none;
  // Operators with dynamic scales, which observe nothing, also stand in bodies of loops, where nobody counts them.
  const bool is_float = result.observed_tensors > 0 && result.placement && result.placement->integer_anchors == 0;
  const std::optional<double> integer_share = IntegerShareOf(result.placement, question.computes_in_bodies);
  const OutputComparison* const worst = WorstOutput(result.compare);
  const ResultFigures figures{
      .has_integer_nodes = !is_float,
      .integer_macs_share = integer_share,
      .float_size_bytes = result.float_size_bytes,
      .quantized_size_bytes = result.quantized_size_bytes,
      .speedup = question.made_up_samples ? Speedup{} : result.latency.speedup,
      .sqnr_db = worst != nullptr && question.is_our_choice ? std::optional(worst->sqnr_db) : std::nullopt,
      .agreement = result.compare.argmax_agreement};
  const TargetFigures as_target{
      .size_bytes = result.quantized_size_bytes,
      .integer_macs_share = integer_share.value_or(0),
      .sqnr_db = worst != nullptr ? worst->sqnr_db : kExactSqnrDb,
      .sqnr_interval = worst != nullptr && !question.made_up_samples ? worst->sqnr_interval : std::nullopt,
      .speedup = figures.speedup};
  std::string why = WhyNothingIsGained(figures, judgement.doubt);
  if (why.empty() && judgement.first) why = WhyNotInstead(*judgement.first, as_target);
  const bool writes = judgement.without_gain == WithoutGain::kIsWarnedOf || question.always_write;
  if (!why.empty() && !writes) return Error(ErrorId::kNothingToGain, why);
  if (!why.empty()) result.warnings.push_back(StrCat("nothing is gained over the float model: ", why));
  if (std::string busy = WarningOfBusySpeed(figures.speedup); !busy.empty()) result.warnings.push_back(std::move(busy));
  if (const std::string doubt = WhyInDoubt(as_target); judgement.instead && !writes && !doubt.empty()) {
    Result<QuantizeResult> other = judgement.instead({{result.target, doubt}, as_target});
    if (other.ok()) return std::optional(*std::move(other));
    if (other.status().id() == ErrorId::kCancelled) return other.status();
  }
  return none;
}

}  // namespace preon
