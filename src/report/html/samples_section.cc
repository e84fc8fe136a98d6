#include "report/html/samples_section.h"

#include <algorithm>
#include <functional>

#include "base/status.h"
#include "report/html/html_text.h"
#include "report/html/page_parts.h"

namespace preon {
namespace {

constexpr size_t kShownSamples = 20;
// Curves that can be told apart in one chart.
constexpr size_t kShownGroups = 6;

std::string Sample(const SampleAnalysis& samples, size_t sample) {
  return StrCat(samples.samples[sample].index, " <code>", EscapeHtml(samples.samples[sample].name), "</code>");
}

LayerCurve SampleCurve(const SampleAnalysis& samples, std::string label, std::string style,
                       const std::function<std::optional<double>(const TensorSamples&)>& figure) {
  LayerCurve curve{.label = std::move(label), .style = std::move(style)};
  for (const TensorSamples& tensor : samples.tensors) curve.values.push_back(figure(tensor));
  return curve;
}

/// Those that a calibration without them misses in most tensors.
std::vector<size_t> MostMissed(const SampleAnalysis& samples) {
  std::vector<size_t> groups;
  for (size_t group = 0; group < samples.groups.size(); ++group) groups.push_back(group);
  std::ranges::stable_sort(groups, std::greater(), [&](size_t group) { return samples.groups[group].missed; });
  groups.resize(std::min(groups.size(), kShownGroups));
  return groups;
}

LayerChart GroupChart(const SampleAnalysis& samples, std::string title, std::string note,
                      const std::function<std::optional<double>(const GroupView&)>& figure) {
  LayerChart chart{.title = std::move(title), .note = std::move(note), .curves = {}, .guides = {}};
  if (samples.groups.size() > kShownGroups)
    chart.note += StrCat("; the ", kShownGroups, " of ", samples.groups.size(), " groups whose loss matters most");
  for (const size_t group : MostMissed(samples)) {
    chart.curves.push_back(SampleCurve(samples, EscapeHtml(samples.groups[group].name),
                                       StrCat("m", chart.curves.size()),
                                       [&](const TensorSamples& tensor) { return figure(tensor.groups[group]); }));
  }
  return chart;
}

LayerChart GrowthChart(const SampleAnalysis& samples) {
  LayerChart chart{.title = "Convergence",
                   .note = "expected share of a range that this number of random samples reaches",
                   .curves = {},
                   .guides = {1}};
  const std::vector<size_t>& sizes = samples.convergence.sizes;
  const size_t first = sizes.size() > 4 ? sizes.size() - 4 : 0;
  for (size_t index = first; index + 1 < sizes.size(); ++index) {
    chart.curves.push_back(SampleCurve(samples, StrCat(sizes[index], sizes[index] == 1 ? " sample" : " samples"),
                                       StrCat("m", index - first),
                                       [=](const TensorSamples& t) { return t.shares[index]; }));
  }
  return chart;
}

std::string ConvergenceOverSamples(const SampleAnalysis& samples) {
  const Convergence& convergence = samples.convergence;
  LayerChart chart{.title = "Convergence over the number of samples",
                   .note = "expected share of the range that this number of random samples reaches",
                   .curves = {{"median tensor", "calibration", {}}, {"least converged tensor", "production", {}}},
                   .guides = {1 - samples.tolerance},
                   .places = {}};
  std::vector<std::string> names;
  for (size_t index = 0; index < convergence.sizes.size(); ++index) {
    chart.places.push_back(StrCat(convergence.sizes[index]));
    names.push_back(StrCat(convergence.sizes[index], " samples"));
    chart.curves[0].values.push_back(convergence.shares[index].median);
    chart.curves[1].values.push_back(convergence.shares[index].least);
  }
  return ToHtml(chart, names) +
         Note(StrCat("More samples would ", convergence.more_samples_help ? "help" : "not help",
                     ": the last doubling widened the median tensor's range by ",
                     HtmlNumber(100 * convergence.last_growth), " %, and ", convergence.growing,
                     " tensors by more than ", HtmlNumber(100 * samples.tolerance), " %; half of the tensors need ",
                     convergence.needed, " samples to stay below that."));
}

std::string DriversTable(const SampleAnalysis& samples) {
  std::string rows;
  for (size_t index = 0; index < std::min(kShownSamples, samples.drivers.size()); ++index) {
    const SampleShare& share = samples.drivers[index];
    rows += StrCat("<tr><td class=\"text\">", Sample(samples, share.sample), "</td>", NumberColumn(share.extremes),
                   NumberColumn(static_cast<double>(share.shrinks)), "</tr>\n");
  }
  return Note(StrCat("Samples that set the extremes (k samples that share an extreme count 1/k each), the first ",
                     std::min(kShownSamples, samples.drivers.size()), " of ", samples.drivers.size(), ".")) +
         Table({"sample", "extremes", "tensors whose range shrinks without it"}, rows);
}

std::string Cover(const SampleAnalysis& samples) {
  std::string rows;
  for (const size_t sample : samples.cover.samples)
    rows += StrCat("<tr><td class=\"text\">", Sample(samples, sample), "</td></tr>\n");
  return Note(StrCat(samples.cover.samples.size(), " of ", samples.samples.size(), " samples reach all ",
                     samples.cover.extremes, " extremes within ", HtmlNumber(100 * samples.tolerance),
                     " % of the range; <code>--cover FILE</code> lists them for <code>--only</code>.")) +
         Table({"sample of the set"}, rows);
}

std::string Groups(const SampleAnalysis& samples) {
  std::string rows;
  for (const GroupSummary& group : samples.groups) {
    rows += StrCat("<tr><td class=\"text\">", EscapeHtml(group.name), "</td>",
                   NumberColumn(static_cast<double>(group.samples)),
                   NumberColumn(static_cast<double>(group.missed), group.missed > 0 ? "bad" : ""),
                   NumberColumn(static_cast<double>(group.missing)), NumberColumn(group.least_covered), "</tr>\n");
  }
  return Note(
             "Tensors with a gap (coverage below 0.9 on either side): if calibration leaves the group out, and if it "
             "uses only this group.") +
         Table({"group", "samples", "gaps without it", "gaps if only this group is used", "least covered by others"},
               rows);
}

}  // namespace

std::vector<LayerChart> SampleCharts(const Analysis& analysis) {
  if (!analysis.samples) return {};
  const SampleAnalysis& samples = *analysis.samples;
  std::vector<LayerChart> charts;
  if (samples.samples.size() > 1) charts.push_back(GrowthChart(samples));
  if (samples.groups.empty()) return charts;
  charts.push_back(GroupChart(
      samples, "Groups: covered by the others",
      "limit of the other groups / limit of this group, at the worse end; below 1: the group exceeds the others",
      [](const GroupView& view) { return view.by_others.worst(); }));
  charts.back().guides = {1};
  charts.push_back(GroupChart(samples, "Groups: outlier ratio",
                              "largest |x| over the median of the samples' 99th percentiles",
                              [](const GroupView& view) { return view.outlier_ratio; }));
  charts.back().scale = AxisScale::kLog;
  return charts;
}

std::string SamplesSection(const Analysis& analysis) {
  if (!analysis.samples)
    return "<h2>Samples</h2>" +
           Note(
               "No statistics of single samples: with <code>calibrate --per-sample</code> this page "
               "shows which of them set the extremes, whether more samples would help, and how "
               "groups differ.");
  const SampleAnalysis& samples = *analysis.samples;
  std::string html = "<h2>Samples</h2>\n";
  if (samples.samples.size() > 1) html += ConvergenceOverSamples(samples);
  if (!samples.groups.empty()) html += Groups(samples);
  return html + DriversTable(samples) + Cover(samples);
}

std::string DriverRows(const Analysis& analysis, size_t layer) {
  if (!analysis.samples) return "";
  const SampleAnalysis& samples = *analysis.samples;
  const TensorSamples& tensor = samples.tensors[layer];
  std::string html;
  for (const auto& [end, driver] :
       {std::pair("min from", tensor.drivers.min), std::pair("max from", tensor.drivers.max)}) {
    if (!driver) continue;
    html += StrCat("<dt>", end, "</dt><dd>", Sample(samples, driver->sample),
                   driver->reached_by > 1 ? StrCat(" and ", driver->reached_by - 1, " more") : "", "; without ",
                   HtmlNumber(driver->without), "</dd>");
  }
  return html;
}

}  // namespace preon
