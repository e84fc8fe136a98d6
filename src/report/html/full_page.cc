#include "report/html/full_page.h"

#include "base/status.h"
#include "report/figures_text.h"
#include "report/html/html_text.h"
#include "report/html/layer_bars.h"
#include "report/html/page_parts.h"
#include "report/html/sample_pictures.h"
#include "report/html/tensor_card.h"
#include "report/html/trade_off.h"
#include "report/json.h"
#include "report/text_writer.h"

namespace preon {
namespace {

constexpr size_t kMostBytes = 2'000'000;
constexpr size_t kMostJsonBytes = 900'000;

std::string Html(const std::string& text) { return EscapeHtml(text); }

std::string Command(const std::string& command) {
  return command.empty() ? "" : StrCat("<pre tabindex=\"0\">", Html(command), "</pre>\n");
}

std::string VerdictSection(Verdict verdict, const std::string& name, const std::vector<std::string>& why_not,
                           const std::vector<Alarm>& alarms) {
  std::string html = StrCat("<h2>Verdict</h2>\n<p class=\"verdict ", verdict == Verdict::kShip ? "good" : "bad", "\">",
                            VerdictName(verdict), ": ", Html(ShownName(name)), "</p>\n");
  for (const std::string& reason : why_not) html += StrCat("<p>", Html(reason), "</p>\n");
  for (const Alarm& alarm : alarms)
    html += StrCat("<p><span class=\"bad\">alarm</span> ", Html(alarm.message), "</p>\n");
  return html;
}

std::string StepsSection(const std::vector<NextStep>& steps) {
  std::string html = steps.empty() ? "" : "<h2>What comes next</h2>\n";
  for (const NextStep& step : steps) {
    html += StrCat("<p>", Html(step.advice));
    if (step.gain_db) html += StrCat("; measured gain ", HtmlNumber(*step.gain_db), " dB");
    html += StrCat(step.enough ? "; good enough" : "", "</p>\n", Command(step.command));
  }
  return html;
}

std::string Percent(const std::optional<double>& share) { return share ? StrCat(HtmlNumber(100 * *share), " %") : "–"; }

std::string Ends(const std::optional<ConfidenceInterval>& interval, double factor = 1) {
  if (!interval) return "";
  return StrCat(" (", HtmlNumber(factor * interval->low), " … ", HtmlNumber(factor * interval->high), ")");
}

std::string MetricText(const MetricFigures& metric) {
  const MetricUnitText& unit = TextOf(metric.unit);
  return StrCat(Html(metric.name), " ", MetricValueText(metric.unit, metric.float_value), " → ",
                MetricValueText(metric.unit, metric.quantized_value), ", loses ", HtmlNumber(unit.factor * metric.loss),
                " ", unit.loss_word, Ends(metric.loss_interval, unit.factor));
}

std::string ModelRow(size_t number, const ValidatedModel& model) {
  const auto cell = [](const std::string& text) { return StrCat("<td>", text, "</td>"); };
  std::string row = StrCat("<tr>", TextColumn(StrCat(number, ": ", Html(model.name))));
  if (!model.failed.empty())
    return StrCat(row, "<td class=\"text\" colspan=\"5\">not made: ", Html(model.failed), "</td></tr>\n");
  const OutputComparison* worst = WorstOutput(model.compare);
  row += cell(worst == nullptr ? "–" : StrCat(HtmlNumber(worst->sqnr_db), Ends(worst->sqnr_interval)));
  row += cell(Percent(model.compare.argmax_agreement) + Ends(model.compare.agreement_interval, 100));
  if (model.metric)
    row += cell(MetricText(*model.metric));
  else if (model.compare.reference_accuracy && model.compare.other_accuracy)
    row += cell(StrCat("top-1 ", Percent(model.compare.reference_accuracy->top1), " → ",
                       Percent(model.compare.other_accuracy->top1), Ends(model.compare.drop_interval, 100)));
  else
    row += cell("–");
  return row + cell(BytesText(model.size_bytes)) + cell(StrCat(model.alarms.size())) + "</tr>\n";
}

std::string FiguresSection(const std::vector<ValidatedModel>& models, int64_t samples, bool unseen,
                           int64_t float_size_bytes, bool meets_requirements) {
  std::string rows;
  for (size_t model = 0; model < models.size(); ++model) rows += ModelRow(model + 1, models[model]);
  const std::string methods = MethodsText(models);
  return StrCat("<h2>Figures</h2>\n",
                Note(StrCat("Against float, on ", CountText(samples, "sample"),
                            unseen ? " not used for calibration" : " also used for calibration",
                            ". In parentheses: intervals of 95 %. The float model has ", BytesText(float_size_bytes),
                            ".", meets_requirements ? "" : " What --require asks for does not hold.")),
                methods.empty() ? "" : Note(StrCat("Rows of ", methods, ".")),
                Table({"model", "SQNR, dB", "same top class", "accuracy", "size", "alarms"}, rows),
                TradeOff(models, float_size_bytes));
}

std::string LatencySection(const LatencyPair& one, const LatencyPair& all) {
  std::string speeds;
  for (const LatencyPair* latency : {&one, &all}) {
    const Speedup& speedup = latency->speedup;
    if (speedup.median <= 0 || (latency == &all && latency->threads <= one.threads)) continue;
    speeds += StrCat("<tr>", TextColumn(StrCat(latency->threads)), NumberColumn(latency->reference.p50),
                     NumberColumn(latency->other.p50), "<td>", HtmlNumber(speedup.median),
                     Ends(ConfidenceInterval{speedup.low, speedup.high}), speedup.busy ? ", machine busy" : "",
                     "</td></tr>\n");
  }
  if (speeds.empty()) return "";
  return "<h2>Latency</h2>\n" + Table({"threads", "float, ms", "quantized, ms", "times as fast"}, speeds);
}

std::string FixSection(const std::optional<SensitivityFix>& fix, const std::string& why_none) {
  if (!fix) return "<h2>Fix</h2>\n" + Note(StrCat("None: ", Html(why_none), "."));
  return StrCat("<h2>Fix</h2>\n<p>", CountText(std::ssize(fix->nodes), "layer"),
                " in float: ", EqualsFloat(fix->gain_db) ? "equal to float" : HtmlNumber(fix->gain_db) + " dB gained",
                " (measured), time ", FigureText(fix->measured_cost.value_or(fix->cost), "%+.1f", 100), " %, file +",
                BytesText(fix->bytes), ".</p>\n", Command(fix->command));
}

std::string LayersSection(const SensitivityResult& result) {
  return StrCat(
      "<h2>Layers</h2>\n",
      Note(StrCat("In the order of the graph, quantized by preon (target ", result.target, ", method ",
                  Html(result.method), ", ", HtmlNumber(result.sqnr_db), " dB on ", CountText(result.samples, "sample"),
                  " of calibration). Error: share of the noise at the outputs; time: estimated share. Own and "
                  "inherited: signal over error at the layer's output. Click a heading to sort.")),
      result.scope.empty() ? "" : StrCat("<p><strong>", Html(result.scope), "</strong></p>\n"), FilterField(),
      LayerBars(result.layers), FixSection(result.fix, result.why_no_fix));
}

std::string EnvironmentSection(const Machine& machine, const std::string& version) {
  std::string features;
  for (const std::string& feature : machine.cpu_features) features += " " + feature;
  return StrCat("<h2>Environment</h2>\n<dl><dt>processor</dt><dd>", Html(machine.cpu), "</dd><dt>features</dt><dd>",
                Html(features), "</dd><dt>kernels</dt><dd>", machine.kernels, "</dd><dt>threads</dt><dd>",
                machine.threads, "</dd><dt>preon</dt><dd>", version, "</dd><dt>ONNX Runtime</dt><dd>",
                machine.runtime_version, "</dd></dl>\n");
}

std::string Histograms(const Analysis& analysis, size_t room) {
  std::string cards;
  size_t shown = 0;
  for (const size_t layer : analysis.by_outliers) {
    const std::string card = TensorCard(analysis, layer);
    if (cards.size() + card.size() > room) break;
    cards += card;
    ++shown;
  }
  return StrCat("<h2>Histograms</h2>\n",
                Note(StrCat(shown, " of ", CountText(std::ssize(analysis.tensors), "tensor"),
                            ", those with most outliers first. Shares of the values, logarithmic; bars: each method's "
                            "range.")),
                "<div class=\"cards\">\n", cards, "</div>\n");
}

}  // namespace

std::string ReportPage(const FullReport& report) {
  std::string html = PageHead("report", Html(report.validated.model));
  const ValidatedModel& judged = report.validated.models[report.validated.judged];
  html += VerdictSection(report.validated.verdict, judged.name, judged.why_not, judged.alarms);
  const ValidateResult& validated = report.validated;
  html += StepsSection(validated.steps) +
          FiguresSection(validated.models, judged.compare.samples, validated.unseen, validated.float_size_bytes,
                         validated.meets_requirements) +
          LatencySection(validated.latency_one, validated.latency_all);
  for (const std::string& warning : report.validated.warnings)
    html += StrCat("<p><span class=\"bad\">warning</span> ", Html(warning), "</p>\n");
  html += report.sensitivity ? LayersSection(*report.sensitivity)
                             : StrCat("<h2>Layers</h2>\n", Note("Not known: " + Html(report.why_no_sensitivity) + "."));
  html += SamplePictures(judged.compare.most_changed, report.pictures);
  std::string end = EnvironmentSection(report.machine, report.facts.version);
  if (!report.command.empty()) end += "<h2>How to reproduce</h2>\n" + Command(report.command);
  const std::string data = DataElement(ToJson(report));
  end += data.size() <= kMostJsonBytes ? data : Note("The same as JSON does not fit here: preon report --json.");
  end += PageEnd(report.sensitivity.has_value());
  const size_t used = html.size() + end.size() + 1000;
  if (report.analysis) html += Histograms(report.analysis->analysis, used < kMostBytes ? kMostBytes - used : 0);
  return html + end;
}

}  // namespace preon
