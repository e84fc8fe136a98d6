#include "report/html/tensor_card.h"

#include <algorithm>
#include <cmath>

#include "base/status.h"
#include "report/html/html_text.h"
#include "report/html/page_assets.h"
#include "report/html/samples_section.h"
#include "report/html/svg.h"

namespace preon {
namespace {

constexpr double kGutter = 140, kPlotWidth = 360, kWidth = kGutter + kPlotWidth + 8;
constexpr double kPlotTop = 6, kHistogramHeight = 96, kRow = 13, kTitle = 22;
constexpr double kLeastShare = 1e-6;  // of the values; the vertical axis is logarithmic

class CardDrawing {
 public:
  explicit CardDrawing(const TensorAnalysis& tensor) : tensor_(tensor) {}

  std::string Svg() const {
    const std::string drawing = Drawing(tensor_.methods);
    return StrCat("<svg viewBox=\"0 0 ", kWidth, " ", Coordinate(Bottom(tensor_.methods.size())),
                  "\" role=\"img\" aria-label=\"histogram of ", EscapeHtml(tensor_.name), "\">", drawing, "</svg>");
  }

  // A file of its own: with the page's style, a ground to stand on, and a title.
  std::string File() const {
    std::vector<MethodRange> methods = tensor_.methods;
    methods.push_back(tensor_.chosen);
    methods.back().method = "selected: " + tensor_.chosen.method;
    const double height = Bottom(methods.size()) + kTitle;
    std::string svg = StrCat("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", kWidth, "\" viewBox=\"0 ", -kTitle,
                             " ", kWidth, " ", Coordinate(height), "\"><style>", kPageStyle, "</style><rect y=\"",
                             -kTitle, "\" width=\"100%\" height=\"100%\" fill=\"var(--paper)\"/>");
    svg += SvgText("label", "start", {6, -6}, EscapeHtml(tensor_.name));
    svg += Drawing(methods);
    for (const auto& [name, value] : {std::pair("min", tensor_.values.min), std::pair("max", tensor_.values.max)}) {
      svg += StrCat("<path class=\"guide\" d=\"M", Coordinate(X(value)), " ", kPlotTop, "v", kHistogramHeight,
                    "\"><title>", name, " ", HtmlNumber(value), "</title></path>");
    }
    return svg + "</svg>\n";
  }

 private:
  static double Bottom(size_t methods) {
    return kPlotTop + kHistogramHeight + 20 + kRow * static_cast<double>(methods);
  }

  std::string Drawing(const std::vector<MethodRange>& methods) const {
    std::string svg = Bars(tensor_.picture, "fill calibration");
    if (tensor_.production) svg += Bars(tensor_.production->picture, "curve production");
    for (const double share : {1.0, 1e-2, 1e-4}) {
      svg += SvgText("tick", "end", {kGutter - 6, Height(share) + 4}, StrCat(100 * share, " %"));
      svg += StrCat("<path class=\"grid\" d=\"M", kGutter, " ", Coordinate(Height(share)), "h", kPlotWidth, "\"/>");
    }
    double y = kPlotTop + kHistogramHeight + 4;
    for (size_t index = 0; index < methods.size(); ++index, y += kRow) svg += Method(methods[index], index, y);
    const Picture& picture = tensor_.picture;
    svg += SvgText("tick", "start", {kGutter, y + 12}, HtmlNumber(picture.low));
    svg += SvgText("tick", "end", {kGutter + kPlotWidth, y + 12}, HtmlNumber(picture.high));
    if (picture.low < 0 && picture.high > 0 && X(0) > kGutter + 50 && X(0) < kGutter + kPlotWidth - 50)
      svg += SvgText("tick", "middle", {X(0), y + 12}, "0");
    return svg;
  }

  double X(double value) const {
    const Picture& picture = tensor_.picture;
    return kGutter + kPlotWidth * std::clamp((value - picture.low) / (picture.high - picture.low), 0.0, 1.0);
  }
  static double Height(double share) {
    const double decades = std::log10(std::max(share, kLeastShare) / kLeastShare);
    return kPlotTop + kHistogramHeight * (1 - decades / -std::log10(kLeastShare));
  }
  static std::string Bars(const Picture& picture, const char* style) {
    const double width = kPlotWidth / static_cast<double>(picture.shares.size());
    std::string path = StrCat("M", kGutter, " ", kPlotTop + kHistogramHeight);
    for (const double share : picture.shares) path += StrCat("V", Coordinate(Height(share)), "h", Coordinate(width));
    return StrCat("<path class=\"", style, "\" d=\"", path, "V", kPlotTop + kHistogramHeight, "\"/>");
  }
  /// A bar from end to end of the range, and both ends as lines through the histogram.
  std::string Method(const MethodRange& method, size_t index, double y) const {
    const double low = X(method.range.min), high = X(method.range.max);
    std::string svg =
        StrCat("<g class=\"m", index % 10, "\"><title>", method.method, ": ", HtmlNumber(method.range.min), " … ",
               HtmlNumber(method.range.max), ", clips ", HtmlNumber(100 * method.clipped), " %, expected error ",
               HtmlNumber(100 * method.error), " %</title>");
    svg += SvgText("label", "end", {kGutter - 6, y + 9}, method.method);
    svg += StrCat("<rect x=\"", Coordinate(low), "\" y=\"", Coordinate(y + 3), "\" width=\"",
                  Coordinate(std::max(high - low, 1.0)), "\" height=\"5\"/><path d=\"");
    for (const double x : {low, high}) svg += StrCat("M", Coordinate(x), " ", kPlotTop, "V", Coordinate(y + 10));
    return svg + "\"/></g>";
  }

  const TensorAnalysis& tensor_;
};

std::string Interval(double low, double high) { return StrCat(HtmlNumber(low), " … ", HtmlNumber(high)); }

std::string Row(const char* name, const std::string& value) {
  return StrCat("<dt>", name, "</dt><dd>", value, "</dd>");
}

std::string Options(const MethodOptions& options) {
  std::string text;
  for (const auto& [name, value] : options) text += StrCat(" ", EscapeHtml(name), "=", EscapeHtml(value));
  return text;
}

std::string Facts(const TensorAnalysis& tensor) {
  const ValueFacts& values = tensor.values;
  std::string html = Row("advice", StrCat(tensor.method, Options(tensor.method_options), " — ", tensor.reason));
  html += Row("range", StrCat(Interval(values.min, values.max), "; median of the samples ",
                              Interval(values.median_extremes.min, values.median_extremes.max), ", mean ",
                              Interval(values.mean_extremes.min, values.mean_extremes.max)));
  html += Row("values", StrCat(values.count, ", ", HtmlNumber(100 * values.zero_share), " % zeros",
                               values.infinities > 0 ? StrCat(", ", values.infinities, " infinite") : "", "; mean ",
                               HtmlNumber(values.mean), ", deviation ", HtmlNumber(values.deviation)));
  if (tensor.production) {
    const ProductionView& view = *tensor.production;
    html += Row("production", StrCat(Interval(view.values.min, view.values.max), "; coverage ",
                                     HtmlNumber(view.shift.coverage.min), " / ", HtmlNumber(view.shift.coverage.max),
                                     "; clipped ", HtmlNumber(100 * view.shift.clipped_production), " % (calibration ",
                                     HtmlNumber(100 * view.shift.clipped_calibration), " %)"));
  }
  if (!tensor.shared_by.empty()) {
    std::string names;
    for (const std::string& name : tensor.shared_by) names += (names.empty() ? "" : ", ") + EscapeHtml(name);
    html += Row("shared by", names);
  }
  return html;
}

}  // namespace

std::string TensorCard(const Analysis& analysis, size_t layer) {
  const TensorAnalysis& tensor = analysis.tensors[layer];
  return StrCat("<article class=\"card\" id=\"t", layer, "\" data-name=\"", EscapeHtml(tensor.name), "\"><h3>", layer,
                " <code>", EscapeHtml(tensor.name), "</code> ", EscapeHtml(tensor.op), "</h3>",
                CardDrawing(tensor).Svg(), "<dl>", Facts(tensor), DriverRows(analysis, layer), "</dl></article>\n");
}

std::string TensorPicture(const TensorAnalysis& tensor) { return CardDrawing(tensor).File(); }

}  // namespace preon
