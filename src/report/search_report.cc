#include <algorithm>

#include "base/spelling.h"
#include "base/text.h"
#include "report/figures_text.h"
#include "report/json.h"
#include "report/json_object.h"
#include "report/text_report.h"
#include "report/text_writer.h"

namespace preon {
namespace {

constexpr size_t kMostLines = 12;

JsonObject TrialJson(const SearchTrial& trial) {
  JsonObject json = {{"config", JsonObject::parse(trial.config)}};
  json["seconds"] = trial.seconds;
  if (!trial.failed.empty()) {
    json["failed"] = trial.failed;
    return json;
  }
  json["sqnr_db"] = trial.sqnr_db;
  json["agreement"] = NumberOrNull(trial.agreement);
  json["metric_loss"] = NumberOrNull(trial.metric_loss);
  json["size_bytes"] = trial.size_bytes;
  json["speedup"] = NumberOrNull(trial.speedup);
  json["why_not"] = trial.why_not;
  json["on_front"] = trial.on_front;
  return json;
}

std::string FiguresOfTrial(const SearchTrial& trial, MetricUnit unit) {
  std::string text = SqnrText(trial.sqnr_db);
  if (trial.metric_loss)
    text += StrCat(*trial.metric_loss < 0 ? ", gains " : ", loses ", MetricLossText(unit, *trial.metric_loss, {}));
  if (trial.agreement) text += StrCat(", agreement ", FigureText(trial.agreement, "%.1f %%", 100));
  text += StrCat(", ", BytesText(trial.size_bytes));
  if (trial.speedup) text += StrCat(", speed ", FigureText(trial.speedup, "%.2f"));
  return text + (trial.why_not.empty() ? "" : StrCat(" (", trial.why_not, ")"));
}

// The result, then the others of the front that differ.
std::vector<size_t> ListedTrials(const std::vector<SearchTrial>& trials, size_t best, MetricUnit unit) {
  std::vector<size_t> listed = {best};
  for (size_t i = 0; i < trials.size(); ++i) {
    const bool is_new = std::ranges::none_of(
        listed, [&](size_t other) { return FiguresOfTrial(trials[other], unit) == FiguresOfTrial(trials[i], unit); });
    if (trials[i].on_front && is_new) listed.push_back(i);
  }
  if (listed.size() > kMostLines) listed.resize(kMostLines);
  return listed;
}

const char* WhyEnded(std::string_view ended) {
  return ended == "time"          ? "the time was over"
         : ended == "all_tried"   ? "all configurations were tried"
         : ended == "interrupted" ? "interrupted: this is the best so far"
                                  : "as many as were asked for";
}

}  // namespace

std::string ToJson(const SearchResult& result) {
  JsonObject json = BeginJson(result.facts);
  json["model"] = result.model;
  json["output"] = result.output;
  json["sampler"] = result.sampler;
  json["goal"] = result.goal;
  json["metric"] = result.metric;
  json["configurations"] = result.configurations ? JsonObject(*result.configurations) : JsonObject();
  json["ended"] = result.ended;
  json["from_study"] = result.from_study;
  json["calibrations"] = result.calibrations;
  json["trials"] = JsonObject::array();
  for (const SearchTrial& trial : result.trials) json["trials"].push_back(TrialJson(trial));
  json["best"] = result.best;
  json["with_samples"] = result.with_samples;
  json["size_bytes"] = {{"float", result.float_size_bytes}, {"quantized", result.judged.size_bytes}};
  json["unseen"] = result.unseen;
  json["compare"] = JsonObject::object();
  AddComparisonJson(json["compare"], result.judged.compare);
  if (result.judged.metric) {
    json["metric_loss"] = result.judged.metric->loss;
    AddIntervalJson(json, "metric_loss_interval", result.judged.metric->loss_interval);
  }
  AddLatencyJson(json, result.latency);
  AddAlarmsJson(json, result.judged.alarms);
  json["warnings"] = result.warnings;
  return JsonLine(json);
}

std::string ToText(const SearchResult& result) {
  TextWriter out;
  const auto failed =
      std::ranges::count_if(result.trials, [](const SearchTrial& each) { return !each.failed.empty(); });
  out.Add("%s -> %s\n", Printable(result.model).c_str(), Printable(result.output).c_str());
  out.Add("  tried       %s", CountText(std::ssize(result.trials), "configuration").c_str());
  if (result.configurations) out.Add(" of %lld", static_cast<long long>(*result.configurations));
  if (result.from_study > 0) out.Add(", %lld of them before", static_cast<long long>(result.from_study));
  if (failed > 0) out.Add(", %lld gave no model", static_cast<long long>(failed));
  out.Add("; %s\n", WhyEnded(result.ended));
  const MetricUnit unit = result.judged.metric ? result.judged.metric->unit : MetricUnit::kShare;
  const char* title = "best";
  for (const size_t index : ListedTrials(result.trials, result.best, unit)) {
    const SearchTrial& trial = result.trials[index];
    out.Add("  %-11s %s: %s\n", title, FiguresOfTrial(trial, unit).c_str(), Printable(trial.config).c_str());
    title = title == std::string_view("best") ? "trade-offs" : "";
  }
  out.Add("  judged on   %s%s; 95 %% intervals in parentheses\n",
          CountText(result.judged.compare.samples, "sample").c_str(),
          result.unseen ? " that neither calibrated nor chose" : " also used for calibration or choices");
  AddComparison(out, result.judged.compare);
  if (result.judged.metric) {
    const MetricFigures& metric = *result.judged.metric;
    out.Add("  %-11s float %s, quantized %s, %s %s\n", Printable(metric.name).c_str(),
            MetricValueText(unit, metric.float_value).c_str(), MetricValueText(unit, metric.quantized_value).c_str(),
            metric.loss < 0 ? "gains" : "loses", MetricLossText(unit, metric.loss, metric.loss_interval).c_str());
  }
  out.Add("  size        %s -> %s\n", BytesText(result.float_size_bytes).c_str(),
          BytesText(result.judged.size_bytes).c_str());
  AddLatency(out, result.latency);
  AddFacts(out, result.facts);
  AddWarnings(out, result.warnings);
  AddAlarms(out, result.judged.alarms);
  return out.Take();
}

}  // namespace preon
