#include "base/spelling.h"
#include "base/text.h"
#include "report/text_report.h"
#include "report/text_writer.h"

namespace preon {
namespace {

std::string MetricValueText(MetricUnit unit, double value) {
  const bool share = unit == MetricUnit::kShare;
  return FigureText(value, share ? "%.1f %%" : unit == MetricUnit::kDecibel ? "%.2f dB" : "%.4f nats", share ? 100 : 1);
}

std::string FiguresOfModel(const Comparison& compare, const std::optional<MetricFigures>& metric, int64_t size_bytes) {
  std::string text;
  if (const OutputComparison* worst = WorstOutput(compare)) {
    text += worst->sqnr_db >= kExactSqnrDb ? "equal" : FigureText(worst->sqnr_db, "%.1f dB");
    text += IntervalText(worst->sqnr_interval, "%.1f");
  }
  if (compare.argmax_agreement) text += StrCat(", agreement ", FigureText(compare.argmax_agreement, "%.1f %%", 100));
  if (metric) {
    text += StrCat(", ", Printable(metric->name), " ", MetricValueText(metric->unit, metric->quantized_value));
  } else if (compare.other_accuracy) {
    text += StrCat(", top-1 ", FigureText(compare.other_accuracy->top1, "%.1f %%", 100));
  }
  return StrCat(text, ", ", BytesText(size_bytes));
}

void AddFloatLine(TextWriter& out, const Comparison& compare, const std::optional<MetricFigures>& metric,
                  int64_t size_bytes) {
  std::string text = "float";
  if (metric)
    text += StrCat(": ", Printable(metric->name), " ", MetricValueText(metric->unit, metric->float_value),
                   metric->of_float ? " (no --reference: what the float model finds is the reference)" : "");
  else if (compare.reference_accuracy)
    text += StrCat(": top-1 ", FigureText(compare.reference_accuracy->top1, "%.1f %%", 100));
  out.Add("  base line   %s, %s\n", text.c_str(), BytesText(size_bytes).c_str());
}

void AddLosses(TextWriter& out, const Comparison& compare, const std::optional<MetricFigures>& metric) {
  if (metric) {
    const double factor = metric->unit == MetricUnit::kShare ? 100 : 1;
    const char* unit = factor == 100 ? "points" : metric->unit == MetricUnit::kDecibel ? "dB" : "nats";
    const char* format = factor == 100 ? "%.2f" : "%.4f";
    out.Add("  loses       %s %s of %s%s\n", FigureText(metric->loss, format, factor).c_str(), unit,
            Printable(metric->name).c_str(), IntervalText(metric->loss_interval, format, factor).c_str());
  } else if (compare.reference_accuracy && compare.other_accuracy) {
    out.Add("  loses       %.2f points of top-1 accuracy%s\n",
            100 * (compare.reference_accuracy->top1 - compare.other_accuracy->top1),
            IntervalText(compare.drop_interval, "%.2f", 100).c_str());
  }
  const char* title = "classes";
  for (const ClassDrop& drop : WorstClasses(compare.by_class)) {
    out.Add("  %-11s %lld: right %lld -> %lld of %lld\n", title, static_cast<long long>(drop.label),
            static_cast<long long>(drop.counts.both + drop.counts.first_only),
            static_cast<long long>(drop.counts.both + drop.counts.second_only),
            static_cast<long long>(drop.counts.all()));
    title = "";
  }
}

}  // namespace

std::string ToText(const ValidateResult& result) {
  TextWriter out;
  const ValidatedModel& judged = result.models[result.judged];
  out.Add("%s\n  judged on   %s%s; 95 %% intervals in parentheses\n", Printable(result.model).c_str(),
          CountText(judged.compare.samples, "sample").c_str(),
          result.unseen ? "" : ", the same that were calibrated with: others may give worse figures");
  AddFloatLine(out, judged.compare, judged.metric, result.float_size_bytes);
  for (const ValidatedModel& model : result.models) {
    out.Add("  %-26s ", Printable(model.name).c_str());
    if (model.failed.empty())
      out.Add("%s\n", FiguresOfModel(model.compare, model.metric, model.size_bytes).c_str());
    else
      out.Add("not made: %s\n", Printable(model.failed).c_str());
  }
  AddLosses(out, judged.compare, judged.metric);
  AddLatency(out, result.latency_one);
  if (result.latency_all.threads > result.latency_one.threads) AddLatency(out, result.latency_all);
  out.Add("  verdict     %s: %s\n",
          result.verdict == Verdict::kShip     ? "SHIP"
          : result.verdict == Verdict::kAdjust ? "ADJUST"
                                               : "ESCALATE",
          Printable(judged.name).c_str());
  for (const std::string& reason : judged.why_not) out.Add("  because     %s\n", Printable(reason).c_str());
  const char* title = "next";
  for (const NextStep& step : result.steps) {
    out.Add("  %-11s %s", title, Printable(step.advice).c_str());
    if (step.gain_db) out.Add("; measured %+.1f dB", *step.gain_db);
    if (step.metric_gain && step.gain_db) out.Add(", %+.4f in the metric", *step.metric_gain);
    out.Add("%s\n", step.enough ? "; good enough" : "");
    if (!step.command.empty()) out.Add("              %s\n", Printable(step.command).c_str());
    title = "";
  }
  AddFacts(out, result.facts);
  AddWarnings(out, result.warnings);
  AddAlarms(out, judged.alarms);
  return out.Take();
}

}  // namespace preon
