#include "report/html/analysis_table.h"

#include <vector>

#include "base/status.h"
#include "report/html/html_text.h"

namespace preon {
namespace {

struct Cell {
  std::string html;
  std::optional<double> sort;  ///< number to sort by
  const char* style = "";
};

Cell NumberCell(const std::optional<double>& value, const char* style = "") {
  return {HtmlNumber(value), value, style};
}

/// One row, each cell with the head of its column.
std::vector<std::pair<const char*, Cell>> Columns(const TensorAnalysis& tensor, size_t layer, bool with_production) {
  const ValueFacts& values = tensor.values;
  const std::string name = StrCat("<a href=\"#t", layer, "\"><code>", EscapeHtml(tensor.name), "</code></a>");
  std::vector<std::pair<const char*, Cell>> columns = {{"layer", {StrCat(layer), static_cast<double>(layer)}},
                                                       {"tensor", {name, std::nullopt, "text"}},
                                                       {"made by", {EscapeHtml(tensor.op), std::nullopt, "text"}},
                                                       {"advice", {tensor.method, std::nullopt, "text"}}};
  if (with_production) {
    const Shift shift = tensor.production ? tensor.production->shift : Shift{};
    const auto only = [&](double value) { return tensor.production ? std::optional(value) : std::nullopt; };
    const char* style = shift.is_gap() && tensor.production ? "bad" : "";
    columns.insert(columns.end(), {{"coverage min", NumberCell(shift.coverage.min, style)},
                                   {"coverage max", NumberCell(shift.coverage.max, style)},
                                   {"clipped % prod", NumberCell(only(100 * shift.clipped_production), style)},
                                   {"clipped % calib", NumberCell(only(100 * shift.clipped_calibration))},
                                   {"mean shift", NumberCell(shift.mean_shift)},
                                   {"spread ratio", NumberCell(shift.deviation_ratio)}});
  }
  Cell dead = {"–"};
  if (const auto& channels = values.dead_channels)
    dead = {StrCat(channels->dead, "/", channels->channels), static_cast<double>(channels->dead)};
  columns.insert(columns.end(), {{"outliers", NumberCell(values.outlier_ratio)},
                                 {"skew", NumberCell(values.skewness)},
                                 {"zeros %", NumberCell(100 * values.zero_share)},
                                 {"dead", dead},
                                 {"min", NumberCell(values.min)},
                                 {"typical min", NumberCell(values.median_extremes.min)},
                                 {"typical max", NumberCell(values.median_extremes.max)},
                                 {"max", NumberCell(values.max)}});
  return columns;
}

std::string ToHtml(const Cell& cell) {
  const std::string sort = cell.sort ? StrCat(" data-v=\"", *cell.sort, "\"") : "";
  return StrCat("<td class=\"", cell.style, "\"", sort, ">", cell.html, "</td>");
}

/// Compared ones by shift, then the others by outliers.
std::vector<size_t> WorstFirst(const Analysis& analysis) {
  std::vector<size_t> order = analysis.by_shift;
  for (const size_t index : analysis.by_outliers)
    if (!analysis.tensors[index].production) order.push_back(index);
  return order;
}

}  // namespace

std::string AnalysisTable(const Analysis& analysis) {
  const bool with_production = !analysis.by_shift.empty();
  std::string head, body;
  for (const size_t index : WorstFirst(analysis)) {
    const TensorAnalysis& tensor = analysis.tensors[index];
    const bool first = body.empty();
    body += StrCat("<tr data-name=\"", EscapeHtml(tensor.name), "\">");
    for (const auto& [title, cell] : Columns(tensor, index, with_production)) {
      if (first)
        head += StrCat("<th class=\"", cell.style == std::string_view("text") ? "text" : "", "\">", title, "</th>");
      body += ToHtml(cell);
    }
    body += "</tr>\n";
  }
  return StrCat("<div class=\"rows\"><table><thead><tr>", head, "</tr></thead><tbody>\n", body,
                "</tbody></table></div>\n");
}

}  // namespace preon
