#include <algorithm>

#include "base/spelling.h"
#include "base/text.h"
#include "report/figures_text.h"
#include "report/text_report.h"
#include "report/text_writer.h"

namespace preon {
namespace {

std::string FiguresOfModel(const Comparison& compare, const std::optional<MetricFigures>& metric, int64_t size_bytes) {
  std::string text;
  if (const OutputComparison* worst = WorstOutput(compare)) {
    text += SqnrText(worst->sqnr_db);
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

// How a step changes the metric, in words: whether more is better is the metric's affair.
std::string MetricChangeText(double gain, const std::string& name, MetricUnit unit) {
  return StrCat(Printable(name), " ", MetricLossText(unit, -gain, {}), gain < 0 ? " worse" : " better");
}

void AddSteps(TextWriter& out, const std::vector<NextStep>& steps, const std::optional<MetricFigures>& metric) {
  const char* title = "next";
  for (const NextStep& step : steps) {
    out.Add("  %-11s %s", title, Printable(step.advice).c_str());
    if (step.gain_db) out.Add("; measured %+.1f dB", *step.gain_db);
    if (step.metric_gain && step.gain_db && metric)
      out.Add(", %s", MetricChangeText(*step.metric_gain, metric->name, metric->unit).c_str());
    out.Add("%s\n", step.enough ? "; good enough" : "");
    if (!step.command.empty()) out.Add("              %s\n", Printable(step.command).c_str());
    title = "";
  }
}

std::string VerdictText(Verdict verdict, const std::string& name, const std::vector<NextStep>& steps) {
  if (verdict == Verdict::kShip) return StrCat("SHIP: ", name, " is good enough");
  if (verdict == Verdict::kAdjust) return StrCat("ADJUST: ", name, " is not good enough; a step below is");
  const bool has_bits = std::ranges::find(steps, "weight_bits", &NextStep::kind) != steps.end();
  return StrCat("ESCALATE: ", name, " is not good enough, and no step that ",
                has_bits ? "keeps the bits of the weights is" : "was tried is");
}

// Files beside the judged one.
void AddOtherFiles(TextWriter& out, const std::vector<ValidatedModel>& models, size_t judged, size_t best) {
  for (size_t index = 0; index < models.size(); ++index) {
    if (index == judged) continue;
    const std::string name = Printable(models[index].name);
    const std::vector<std::string>& why_not = models[index].why_not;
    out.Add("              %s\n", (why_not.empty() ? StrCat("SHIP: ", name, " is good enough")
                                                   : StrCat("NOT YET: ", name, ": ", Printable(why_not.front())))
                                      .c_str());
  }
  out.Add("  best        %s\n", Printable(models[best].name).c_str());
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
  const std::optional<MetricFigures> of = MetricOf(metric, compare);
  if (of) {
    out.Add("  %-11s %s\n", of->loss < 0 ? "gains" : "loses",
            MetricLossText(of->unit, of->loss, of->loss_interval, StrCat(" of ", Printable(of->name))).c_str());
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
          result.unseen ? "" : " also used for calibration: other samples may give worse figures");
  AddFloatLine(out, judged.compare, judged.metric, result.float_size_bytes);
  const std::string methods = MethodsText(result.models);
  if (!methods.empty()) out.Add("  rows        %s\n", methods.c_str());
  for (const ValidatedModel& model : result.models) {
    out.Add("  %-27s ", Printable(ShownName(model.name)).c_str());
    if (model.failed.empty())
      out.Add("%s\n", FiguresOfModel(model.compare, model.metric, model.size_bytes).c_str());
    else
      out.Add("not made: %s\n", Printable(model.failed).c_str());
  }
  AddLosses(out, judged.compare, judged.metric);
  AddLatency(out, result.latency_one);
  if (result.latency_all.threads > result.latency_one.threads) AddLatency(out, result.latency_all);
  out.Add("  verdict     %s\n", VerdictText(result.verdict, Printable(ShownName(judged.name)), result.steps).c_str());
  for (const std::string& reason : judged.why_not) out.Add("  because     %s\n", Printable(reason).c_str());
  if (result.files > 1) AddOtherFiles(out, result.models, result.judged, result.best);
  AddSteps(out, result.steps, judged.metric);
  AddFacts(out, result.facts);
  AddWarnings(out, result.warnings);
  AddAlarms(out, judged.alarms);
  return out.Take();
}

}  // namespace preon
