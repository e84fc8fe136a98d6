#include "decide/verdict.h"

#include <algorithm>
#include <cmath>

#include "base/str_cat.h"
#include "decide/number_text.h"

namespace preon {
namespace {

constexpr double kGoodDb = 20, kGoodAgreement = 0.95;
constexpr double kMostShareLost = 0.01, kMostDbLost = 0.3, kMostOfValueLost = 0.01;

double MostLost(MetricUnit unit, double float_value) {
  switch (unit) {
    case MetricUnit::kShare:
      return kMostShareLost;
    case MetricUnit::kDecibel:
      return kMostDbLost;
    case MetricUnit::kNats:
    case MetricUnit::kNumber:
      return kMostOfValueLost * std::abs(float_value);
  }
  return 0;
}

std::string RoundedLoss(MetricUnit unit, double loss) {
  const MetricUnitText& text = TextOf(unit);
  if (unit == MetricUnit::kShare) return NumberText("%.1f points", text.factor * loss);
  return NumberText(text.value_format, loss);
}

// "" where what is lost is little, or cannot be told from nothing in a model that is near to float.
std::string WhyTooMuchLost(const MetricFigures& metric, double worst_db) {
  if (metric.loss <= MostLost(metric.unit, metric.float_value) + 1e-9) return "";
  const bool may_be_nothing = metric.loss_interval && metric.loss_interval->low <= 0;
  if (may_be_nothing && worst_db >= kGoodDb) return "";
  return StrCat(metric.name, " loses ", RoundedLoss(metric.unit, metric.loss));
}

std::string WhyTooFar(const Comparison& compare) {
  const double worst_db = WorstSqnrDb(compare);
  if (compare.argmax_agreement) {
    const bool may_be_enough = compare.agreement_interval && compare.agreement_interval->high >= kGoodAgreement;
    if (*compare.argmax_agreement >= kGoodAgreement || (may_be_enough && worst_db >= kGoodDb)) return "";
    return StrCat("only ", NumberText("%.1f", 100 * *compare.argmax_agreement), " % of the top classes agree; wanted ",
                  NumberText("%.0f", 100 * kGoodAgreement), " %");
  }
  return worst_db >= kGoodDb
             ? ""
             : StrCat("SQNR ", NumberText("%.1f", worst_db), " dB; wanted ", NumberText("%.0f", kGoodDb), " dB");
}

}  // namespace

std::optional<MetricFigures> MetricOf(const std::optional<MetricFigures>& asked_for, const Comparison& compare) {
  if (asked_for) return asked_for;
  if (!compare.reference_accuracy || !compare.other_accuracy) return std::nullopt;
  const double before = compare.reference_accuracy->top1, after = compare.other_accuracy->top1;
  return MetricFigures{"top-1 accuracy", MetricUnit::kShare, before, after, before - after, compare.drop_interval};
}

Result<std::vector<std::string>> WhyNotShip(const ModelQuality& quality, const std::vector<Requirement>& requirements) {
  std::vector<std::string> reasons;
  if (!requirements.empty()) {
    ResultQuality of{.compare = quality.compare,
                     .latency = quality.latency,
                     .float_size_bytes = quality.float_size_bytes,
                     .quantized_size_bytes = quality.quantized_size_bytes};
    if (const std::optional<MetricFigures>& metric = quality.metric)
      of.metric_drop = MetricDrop{metric->loss, metric->unit, metric->loss_interval};
    PREON_ASSIGN_OR_RETURN(const std::vector<RequirementOutcome> outcomes, JudgeRequirements(requirements, of));
    if (std::string why = WhyNotMet(outcomes); !why.empty()) reasons.push_back(std::move(why));
  } else {
    const std::optional<MetricFigures> metric = MetricOf(quality.metric, quality.compare);
    std::string why = metric ? WhyTooMuchLost(*metric, WorstSqnrDb(quality.compare)) : WhyTooFar(quality.compare);
    if (!why.empty()) reasons.push_back(std::move(why));
  }
  for (const Alarm& alarm : quality.alarms) {
    if (alarm.id != "large_file") reasons.push_back(alarm.message);
  }
  return reasons;
}

Verdict Decide(const std::vector<std::string>& why_not, const std::vector<NextStep>& steps) {
  if (why_not.empty()) return Verdict::kShip;
  return std::ranges::any_of(steps, &NextStep::enough) ? Verdict::kAdjust : Verdict::kEscalate;
}

std::string_view VerdictName(Verdict verdict) {
  return verdict == Verdict::kShip ? "ship" : verdict == Verdict::kAdjust ? "adjust" : "escalate";
}

}  // namespace preon
