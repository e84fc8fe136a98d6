#include "decide/requirement.h"

#include <algorithm>
#include <cmath>

#include "base/spelling.h"
#include "base/text.h"
#include "decide/number_text.h"

namespace preon {
namespace {

enum class Unit { kShare, kDecibel, kNats, kNumber, kFactor, kMilliseconds, kBytes };

struct FigureRow {
  std::string_view name;
  RequiredFigure figure;
  Unit unit;
  std::string_view needs;
};

constexpr FigureRow kFigures[] = {
    {"drop", RequiredFigure::kDrop, Unit::kShare,
     "samples with labels (--labels, or an array 'label' next to the inputs), or another metric, which preon validate "
     "counts"},
    {"agreement", RequiredFigure::kAgreement, Unit::kShare, "samples of your own (--data) and an output of classes"},
    {"sqnr", RequiredFigure::kSqnr, Unit::kDecibel, "samples of your own (--data) and an output that can be compared"},
    {"speed", RequiredFigure::kSpeed, Unit::kFactor, "a measurement of latency (--latency above 0)"},
    {"latency", RequiredFigure::kLatency, Unit::kMilliseconds, "a measurement of latency (--latency above 0)"},
    {"size", RequiredFigure::kSize, Unit::kBytes, ""},
};

const FigureRow& RowOf(RequiredFigure figure) {
  if (figure == RequiredFigure::kSizeShare) figure = RequiredFigure::kSize;
  return *std::ranges::find(kFigures, figure, &FigureRow::figure);
}

// The number in the unit that figures are in; none where it is no number with such a unit.
std::optional<double> ValueIn(std::string_view text, Unit unit) {
  const size_t end = text.find_last_of("0123456789.") + 1;
  const std::optional<double> number = ParseNumber<double>(text.substr(0, end));
  const std::string_view suffix = text.substr(end);
  if (!number || !std::isfinite(*number)) return std::nullopt;
  const auto is = [&](std::string_view wanted) { return suffix == wanted; };
  switch (unit) {
    case Unit::kShare:
      return is("%") ? std::optional(*number / 100) : is("") ? number : std::nullopt;
    case Unit::kDecibel:
      return is("") || is("dB") ? number : std::nullopt;
    case Unit::kNats:
      return is("") || is("nats") ? number : std::nullopt;
    case Unit::kNumber:
      return is("") ? number : std::nullopt;
    case Unit::kFactor:
      return is("") || is("x") ? number : std::nullopt;
    case Unit::kMilliseconds:
      return is("") || is("ms") ? number : std::nullopt;
    case Unit::kBytes:
      break;
  }
  for (const auto& [name, factor] :
       {std::pair{"", 1.0}, {"B", 1.0}, {"k", 1e3}, {"kB", 1e3}, {"M", 1e6}, {"MB", 1e6}, {"G", 1e9}, {"GB", 1e9}})
    if (is(name)) return *number * factor;
  return std::nullopt;
}

Unit UnitOf(MetricUnit unit) {
  switch (unit) {
    case MetricUnit::kShare:
      return Unit::kShare;
    case MetricUnit::kDecibel:
      return Unit::kDecibel;
    case MetricUnit::kNats:
      return Unit::kNats;
    case MetricUnit::kNumber:
      break;
  }
  return Unit::kNumber;
}

// The unit that a drop is written in; none where a plain number leaves it to the metric.
std::optional<MetricUnit> WrittenUnit(std::string_view value) {
  for (const MetricUnitText& text : MetricUnitTexts())
    if (!text.suffix.empty() && value.ends_with(text.suffix)) return text.unit;
  return std::nullopt;
}

std::string InUnit(double value, Unit unit) {
  switch (unit) {
    case Unit::kShare:
      return NumberText("%.2f %%", 100 * value);
    case Unit::kDecibel:
      return value >= kExactSqnrDb ? "equal outputs" : NumberText("%.1f dB", value);
    case Unit::kNats:
      return NumberText("%.4f nats", value);
    case Unit::kNumber:
      return NumberText("%.4f", value);
    case Unit::kFactor:
      return NumberText("%.2f", value);
    case Unit::kMilliseconds:
      return NumberText("%.3f ms", value);
    case Unit::kBytes:
      return NumberText("%.0f bytes", value);
  }
  return "";
}

struct Measured {
  double value = 0;
  std::optional<ConfidenceInterval> interval;
};

std::optional<Measured> MeasuredOf(RequiredFigure figure, const ResultQuality& quality) {
  const Comparison& compare = quality.compare;
  const Speedup& speedup = quality.latency.speedup;
  switch (figure) {
    case RequiredFigure::kDrop:
      if (quality.metric_drop) return Measured{quality.metric_drop->value, quality.metric_drop->interval};
      if (!compare.reference_accuracy || !compare.other_accuracy) return std::nullopt;
      return Measured{compare.reference_accuracy->top1 - compare.other_accuracy->top1, compare.drop_interval};
    case RequiredFigure::kAgreement:
      if (!compare.argmax_agreement) return std::nullopt;
      return Measured{*compare.argmax_agreement, compare.agreement_interval};
    case RequiredFigure::kSqnr: {
      // NaN is as far from float as can be; the other figures are of the values that are still finite.
      const auto not_finite = [](const auto& output) { return output.second.not_finite > 0; };
      if (std::ranges::any_of(compare.outputs, not_finite)) return Measured{-kExactSqnrDb, std::nullopt};
      const OutputComparison* worst = WorstOutput(compare);
      return worst == nullptr ? std::nullopt : std::optional(Measured{worst->sqnr_db, worst->sqnr_interval});
    }
    case RequiredFigure::kSpeed:
      if (speedup.median <= 0) return std::nullopt;
      return Measured{speedup.median, ConfidenceInterval{speedup.low, speedup.high}};
    case RequiredFigure::kLatency:
      return speedup.median <= 0 ? std::nullopt : std::optional(Measured{quality.latency.other.p50, std::nullopt});
    case RequiredFigure::kSize:
      return Measured{static_cast<double>(quality.quantized_size_bytes), std::nullopt};
    case RequiredFigure::kSizeShare:
      return Measured{static_cast<double>(quality.quantized_size_bytes) / static_cast<double>(quality.float_size_bytes),
                      std::nullopt};
  }
  return std::nullopt;
}

Result<Requirement> ParseOne(const std::string& text) {
  std::vector<std::string> names;
  for (const FigureRow& row : kFigures) names.emplace_back(row.name);
  const size_t relation = text.find_first_of("<>=");
  const bool has_relation = relation != std::string::npos && text.compare(relation + 1, 1, "=") == 0;
  if (!has_relation || text[relation] == '=')
    return Error(ErrorId::kBadOptionValue, "got '", text, "', wanted NAME<=VALUE or NAME>=VALUE, for example drop<=1%");
  const std::string name = text.substr(0, relation), value = text.substr(relation + 2);
  const auto* row = std::ranges::find(kFigures, name, &FigureRow::name);
  if (row == std::end(kFigures))
    return Error(ErrorId::kBadOptionValue, "got '", text, "': unknown figure '", name, "'", DidYouMean(name, names),
                 " (known: ", JoinNames(names), ")");
  Requirement requirement{row->figure, text[relation] == '<', 0, text};
  if (row->figure == RequiredFigure::kDrop) requirement.metric_unit = WrittenUnit(value);
  std::optional<double> limit = ValueIn(value, requirement.metric_unit ? UnitOf(*requirement.metric_unit) : row->unit);
  if (row->unit == Unit::kBytes && value.ends_with('%')) {
    limit = ValueIn(value, Unit::kShare);
    requirement.figure = RequiredFigure::kSizeShare;
  }
  if (!limit)
    return Error(
        ErrorId::kBadOptionValue, "got '", text,
        "', wanted a number after <= or >=, with a unit or without: drop<=1%, drop<=0.3dB, sqnr>=20dB, speed>=1.5, "
        "latency<=5ms, size<=4MB, size<=30%");
  requirement.limit = *limit;
  return requirement;
}

}  // namespace

int64_t BytesOf(const Requirement& limit, int64_t float_size_bytes) {
  const bool is_share = limit.figure == RequiredFigure::kSizeShare;
  const double bytes = limit.limit * (is_share ? static_cast<double>(float_size_bytes) : 1);
  return static_cast<int64_t>(std::min(bytes, 0x1p62));
}

Result<std::vector<Requirement>> ParseRequirements(std::string_view text) {
  std::vector<Requirement> requirements;
  for (const std::string& part : Split(std::string(text), ',')) {
    std::string one;
    std::ranges::copy_if(part, std::back_inserter(one), [](char c) { return c != ' '; });
    PREON_ASSIGN_OR_RETURN(requirements.emplace_back(), ParseOne(one));
  }
  return requirements;
}

Status CheckDropUnit(const std::vector<Requirement>& requirements, MetricUnit unit) {
  for (const Requirement& requirement : requirements) {
    if (!requirement.metric_unit || *requirement.metric_unit == unit) continue;
    return Error(ErrorId::kBadOptionValue, "--require ", requirement.text, ": the metric ", TextOf(unit).drop_hint);
  }
  return Status::Ok();
}

Result<std::vector<RequirementOutcome>> JudgeRequirements(const std::vector<Requirement>& requirements,
                                                          const ResultQuality& quality) {
  const MetricUnit metric_unit = quality.metric_drop ? quality.metric_drop->unit : MetricUnit::kShare;
  PREON_RETURN_IF_ERROR(CheckDropUnit(requirements, metric_unit));
  std::vector<RequirementOutcome> outcomes;
  for (const Requirement& requirement : requirements) {
    const FigureRow& row = RowOf(requirement.figure);
    const Unit unit = requirement.figure == RequiredFigure::kSizeShare ? Unit::kShare
                      : requirement.figure == RequiredFigure::kDrop    ? UnitOf(metric_unit)
                                                                       : row.unit;
    const std::optional<Measured> measured = MeasuredOf(requirement.figure, quality);
    if (!measured)
      return Error(ErrorId::kMissingOption, "--require ", requirement.text, ": not measured; needs ", row.needs);
    const auto holds = [&](double value) {
      const double rounding = 1e-9 * std::abs(requirement.limit);
      return requirement.at_most ? value <= requirement.limit + rounding : value >= requirement.limit - rounding;
    };
    RequirementOutcome& outcome = outcomes.emplace_back();
    outcome.requirement = requirement.text;
    outcome.measured = InUnit(measured->value, unit);
    outcome.holds = holds(measured->value);
    if (!measured->interval) continue;
    outcome.measured +=
        StrCat(" (", InUnit(measured->interval->low, unit), " to ", InUnit(measured->interval->high, unit), ")");
    outcome.sure = holds(measured->interval->low) == outcome.holds && holds(measured->interval->high) == outcome.holds;
  }
  return outcomes;
}

std::string WhyNotMet(const std::vector<RequirementOutcome>& outcomes) {
  std::string text;
  for (const RequirementOutcome& outcome : outcomes) {
    if (outcome.holds) continue;
    text += StrCat(text.empty() ? "" : "; ", "required ", outcome.requirement, ", got ", outcome.measured);
  }
  return text;
}

std::vector<std::string> WarningsOfUnsure(const std::vector<RequirementOutcome>& outcomes) {
  std::vector<std::string> warnings;
  for (const RequirementOutcome& outcome : outcomes) {
    if (outcome.holds && !outcome.sure)
      warnings.push_back(StrCat("--require ", outcome.requirement, " holds on these samples, but others may miss it: ",
                                outcome.measured, "; more samples make this clearer"));
  }
  return warnings;
}

}  // namespace preon
