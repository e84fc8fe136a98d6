#include "report/html/layer_chart.h"

#include <algorithm>

#include "base/status.h"
#include "report/html/html_text.h"
#include "report/html/svg.h"

namespace preon {
namespace {

constexpr double kLeft = 56, kTop = 8, kPlotHeight = 170, kBottom = 20;

/// Where things are.
struct Frame {
  Axis axis;
  size_t layers;
  double plot_width;

  // Several hundred layers get a wide picture that scrolls.
  Frame(const LayerChart& chart, const std::vector<double>& values, size_t count)
      : axis(chart.scale, values), layers(count), plot_width(std::max(900.0, 5.0 * static_cast<double>(count))) {}
  double pitch() const { return plot_width / static_cast<double>(std::max<size_t>(layers, 1)); }
  double x(size_t layer) const { return kLeft + (static_cast<double>(layer) + 0.5) * pitch(); }
  double y(double value) const { return kTop + kPlotHeight * (1 - axis.At(value)); }
};

std::string Grid(const Frame& frame, const LayerChart& chart) {
  std::string svg;
  const double right = kLeft + frame.plot_width;
  for (const double tick : frame.axis.Ticks()) {
    const double y = frame.y(tick);
    svg += SvgLine("grid", {kLeft, y}, {right, y}) + SvgText("tick", "end", {kLeft - 6, y + 4}, HtmlNumber(tick));
  }
  for (const double guide : chart.guides) svg += SvgLine("guide", {kLeft, frame.y(guide)}, {right, frame.y(guide)});
  const size_t step = std::max<size_t>(1, static_cast<size_t>(40 / frame.pitch()));
  for (size_t layer = 0; layer < frame.layers; layer += step)
    svg += SvgText("tick", "middle", {frame.x(layer), kTop + kPlotHeight + 15},
                   chart.places.empty() ? StrCat(layer) : chart.places[layer]);
  return svg;
}

/// Interrupted where there is no value; a dot at each value, so that one between two gaps shows.
std::string Path(const Frame& frame, const LayerCurve& curve) {
  std::string path, dots;
  bool down = false;
  for (size_t layer = 0; layer < curve.values.size(); ++layer) {
    if (const auto& value = curve.values[layer]) {
      const std::string point = StrCat(Coordinate(frame.x(layer)), " ", Coordinate(frame.y(*value)));
      path += (down ? "L" : "M") + point;
      dots += StrCat("M", point, "h0");
    }
    down = curve.values[layer].has_value();
  }
  return StrCat("<path class=\"curve ", curve.style, "\" d=\"", path, "\"/><path class=\"curve dots ", curve.style,
                "\" d=\"", dots, "\"/>");
}

std::string Hovers(const Frame& frame, const LayerChart& chart, const std::vector<std::string>& layers) {
  std::string svg;
  for (size_t layer = 0; layer < layers.size(); ++layer) {
    const bool links = chart.places.empty();
    if (links) svg += StrCat("<a href=\"#t", layer, "\">");
    svg += StrCat("<rect class=\"hover\" x=\"", Coordinate(frame.x(layer) - frame.pitch() / 2), "\" y=\"", kTop,
                  "\" width=\"", Coordinate(frame.pitch()), "\" height=\"", kPlotHeight, "\"><title>",
                  links ? StrCat(layer, ": ") : "", layers[layer]);
    for (const LayerCurve& curve : chart.curves) svg += StrCat("\n", curve.label, " ", HtmlNumber(curve.values[layer]));
    svg += links ? "</title></rect></a>" : "</title></rect>";
  }
  return svg;
}

}  // namespace

std::string ToHtml(const LayerChart& chart, const std::vector<std::string>& layers) {
  std::vector<double> values = chart.guides;
  for (const LayerCurve& curve : chart.curves) {
    for (const auto& value : curve.values)
      if (value) values.push_back(*value);
  }
  const Frame frame(chart, values, layers.size());
  const double width = kLeft + frame.plot_width + 8, height = kTop + kPlotHeight + kBottom;
  std::string html =
      StrCat("<figure><figcaption><b>", chart.title, "</b> <span class=\"note\">", chart.note, "</span> ");
  for (const LayerCurve& curve : chart.curves)
    html += StrCat("<span class=\"key\"><i class=\"", curve.style, "\"></i>", curve.label, "</span> ");
  html +=
      StrCat("</figcaption><div class=\"scroll\"><svg viewBox=\"0 0 ", width, " ", height,
             "\" style=\"min-width:", frame.plot_width > 900 ? width : 640, "px\" role=\"img\">", Grid(frame, chart));
  for (const LayerCurve& curve : chart.curves) html += Path(frame, curve);
  return html + Hovers(frame, chart, layers) + "</svg></div></figure>\n";
}

}  // namespace preon
