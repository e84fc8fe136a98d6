#include "report/html/analysis_page.h"

#include <functional>

#include "base/status.h"
#include "report/html/analysis_table.h"
#include "report/html/html_text.h"
#include "report/html/layer_chart.h"
#include "report/html/page_parts.h"
#include "report/html/samples_section.h"
#include "report/html/tensor_card.h"

namespace preon {
namespace {

std::string Summary(const AnalyzeResult& result) {
  const Analysis& analysis = result.analysis;
  std::string tiles = Tile(StrCat(analysis.tensors.size()), "tensors") + Tile(StrCat(result.samples), "samples");
  for (const auto& [method, count] : analysis.advice) tiles += Tile(StrCat(count), method + " advised");
  if (!analysis.not_reached.empty()) tiles += Tile(StrCat(analysis.not_reached.size()), "without values", "bad");
  if (!result.production.empty()) {
    tiles += Tile(StrCat(result.production_samples), "samples in production");
    tiles += Tile(StrCat(analysis.gaps.size()), "gaps in coverage", analysis.gaps.empty() ? "" : "bad");
  }
  std::string html = Tiles(tiles);
  for (const std::string& tensor : analysis.not_reached)
    html += StrCat("<p class=\"note\"><code>", EscapeHtml(tensor), "</code>: no calibration sample reaches it</p>\n");
  return html;
}

std::string Methods(const AnalyzeResult& result) {
  std::string rows;
  for (const MethodSummary& method : result.analysis.methods) {
    const auto cell = [](double value, const char* unit) {
      return StrCat("<td data-v=\"", value, "\">", HtmlNumber(value), unit, "</td>");
    };
    rows += StrCat("<tr><td class=\"text\">", method.method, "</td>", cell(100 * method.median_kept, " %"),
                   cell(100 * method.median_error, " %"), cell(static_cast<double>(method.least_error), ""), "</tr>\n");
  }
  return StrCat("<h2>Methods</h2><p class=\"note\">Medians over the tensors, ", result.activation,
                "; error: root mean square of the quantization error, "
                "relative to that of the values.</p><table><thead><tr>"
                "<th class=\"text\">method</th><th>range / max</th><th>expected error</th>"
                "<th>lowest error for (tensors)</th></tr></thead><tbody>\n",
                rows, "</tbody></table>\n");
}

using OptionalFigure = std::optional<double>;

LayerCurve CurveOf(const Analysis& analysis, const char* label, const char* style,
                   const std::function<OptionalFigure(const TensorAnalysis&)>& figure) {
  LayerCurve curve{.label = label, .style = style};
  for (const TensorAnalysis& tensor : analysis.tensors) curve.values.push_back(figure(tensor));
  return curve;
}

/// Of production where there is some.
LayerCurve ProductionCurve(const Analysis& analysis, const char* label, const char* style,
                           const std::function<OptionalFigure(const ProductionView&)>& figure) {
  return CurveOf(analysis, label, style,
                 [&](const TensorAnalysis& t) { return t.production ? figure(*t.production) : std::nullopt; });
}

std::vector<LayerChart> Charts(const Analysis& a) {
  using Tensor = TensorAnalysis;
  LayerChart outliers{
      .title = "Outlier ratio",
      .note = "largest |x| over the 99th percentile; up to 3: no outliers; above 10: far outliers",
      .scale = AxisScale::kLog,
      .curves = {CurveOf(a, "calibration", "calibration", [](const Tensor& t) { return t.values.outlier_ratio; })},
      .guides = {3, 10}};
  LayerChart ranges{
      .title = "Ranges",
      .note = "smallest and largest value, and the range of the selected method; logarithmic away from 0",
      .scale = AxisScale::kSymmetric,
      .curves = {CurveOf(a, "calibration max", "calibration", [](const Tensor& t) { return t.values.max; }),
                 CurveOf(a, "min", "calibration", [](const Tensor& t) { return t.values.min; }),
                 CurveOf(a, "chosen max", "chosen", [](const Tensor& t) { return t.chosen.range.max; }),
                 CurveOf(a, "chosen min", "chosen", [](const Tensor& t) { return t.chosen.range.min; })},
      .guides = {}};
  if (a.by_shift.empty()) return {outliers, ranges};
  using View = ProductionView;
  outliers.curves.push_back(
      ProductionCurve(a, "production", "production", [](const View& v) { return v.values.outlier_ratio; }));
  ranges.curves.push_back(
      ProductionCurve(a, "production max", "production", [](const View& v) { return v.values.max; }));
  ranges.curves.push_back(
      ProductionCurve(a, "production min", "production", [](const View& v) { return v.values.min; }));
  const LayerChart coverage{
      .title = "Coverage",
      .note = "calibration limit / production limit; below 1: production exceeds the range",
      .curves = {ProductionCurve(a, "max side", "calibration", [](const View& v) { return v.shift.coverage.max; }),
                 ProductionCurve(a, "min side", "low", [](const View& v) { return v.shift.coverage.min; })},
      .guides = {1}};
  const LayerChart clipped{
      .title = "Clipped, %",
      .note = "share of the values outside the range of the selected method; 0 is drawn at the lower edge",
      .scale = AxisScale::kLog,
      .curves = {ProductionCurve(a, "calibration", "calibration",
                                 [](const View& v) { return 100 * v.shift.clipped_calibration; }),
                 ProductionCurve(a, "production", "production",
                                 [](const View& v) { return 100 * v.shift.clipped_production; })},
      .guides = {}};
  const LayerChart shift{
      .title = "Shift of the mean",
      .note = "production's mean minus calibration's, in standard deviations of calibration",
      .curves = {ProductionCurve(a, "shift", "production", [](const View& v) { return v.shift.mean_shift; })},
      .guides = {0}};
  return {coverage, clipped, shift, outliers, ranges};
}

}  // namespace

std::string AnalysisPage(const AnalyzeResult& result) {
  const Analysis& analysis = result.analysis;
  const std::string title =
      StrCat(EscapeHtml(result.calib), result.production.empty() ? "" : " against " + EscapeHtml(result.production));
  std::string html = PageHead("analyze", title);
  html += Note(StrCat("preon ", result.facts.version, " · ranges of method ", EscapeHtml(result.method), ", ",
                      result.activation));
  html += Summary(result);
  if (!analysis.tensors.empty()) {
    std::vector<std::string> layers;
    for (const TensorAnalysis& tensor : analysis.tensors) layers.push_back(EscapeHtml(tensor.name));
    html += "<h2>Layer by layer</h2>\n";
    for (const LayerChart& chart : Charts(analysis)) html += ToHtml(chart, layers);
    for (const LayerChart& chart : SampleCharts(analysis)) html += ToHtml(chart, layers);
    html += StrCat("<h2>Tensors</h2>\n", Note("Worst first; click a column heading to sort."), FilterField());
    html += AnalysisTable(analysis) + Methods(result) + SamplesSection(analysis);
    html += StrCat("<h2>Histograms</h2>\n<p class=\"note\">Shares of the values, logarithmic",
                   analysis.by_shift.empty() ? "" : "; filled: calibration, line: production",
                   ". The bars below show each method's range; lines mark its ends in the histogram.</p>\n<div "
                   "class=\"cards\">\n");
    for (size_t layer = 0; layer < analysis.tensors.size(); ++layer) html += TensorCard(analysis, layer);
    html += "</div>\n";
  }
  return html + PageEnd(!analysis.tensors.empty());
}

}  // namespace preon
