#include "report/html/layer_bars.h"

#include <algorithm>

#include "base/status.h"
#include "report/html/html_text.h"
#include "report/html/page_parts.h"

namespace preon {
namespace {

// As wide as the share is beside the largest.
std::string BarColumn(double share, double largest, const char* style) {
  const double width = largest > 0 ? 100 * std::clamp(share / largest, 0.0, 1.0) : 0;
  return StrCat("<td class=\"bar\" data-v=\"", share, "\"><i class=\"", style, "\" style=\"width:", Coordinate(width),
                "%\"></i><span>", HtmlNumber(100 * share), " %</span></td>");
}

std::string OptionalColumn(const std::optional<double>& value, double factor = 1) {
  return value ? NumberColumn(factor * *value) : "<td>–</td>";
}

// Above every figure in dB where it is sorted.
std::string GainColumn(const std::optional<double>& gain_db) {
  return EqualsFloat(gain_db) ? "<td data-v=\"1000\">equal</td>" : OptionalColumn(gain_db);
}

}  // namespace

std::string LayerBars(std::vector<LayerSensitivity> layers) {
  std::ranges::stable_sort(layers, {}, &LayerSensitivity::position);
  double most_error = 0, most_time = 0;
  for (const LayerSensitivity& layer : layers) {
    most_error = std::max(most_error, layer.share());
    most_time = std::max(most_time, layer.time_share);
  }
  std::string rows;
  for (const LayerSensitivity& layer : layers) {
    rows += StrCat("<tr data-name=\"", EscapeHtml(layer.node), "\">",
                   TextColumn(StrCat("<code>", EscapeHtml(layer.node), "</code> ", EscapeHtml(layer.op_type))),
                   BarColumn(layer.share(), most_error, "production"),
                   BarColumn(layer.time_share, most_time, "calibration"), OptionalColumn(layer.own_db),
                   OptionalColumn(layer.inherited_db), OptionalColumn(layer.float_gain_db),
                   GainColumn(layer.measured_gain_db), OptionalColumn(layer.float_cost, 100),
                   TextColumn(EscapeHtml(layer.cause)), "</tr>\n");
  }
  return Table(
      {"layer", "error", "time", "own, dB", "inherited, dB", "gain in float, dB", "measured, dB", "cost, %", "cause"},
      rows);
}

}  // namespace preon
