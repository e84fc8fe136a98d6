#include "report/html/trade_off.h"

#include <algorithm>
#include <map>

#include "base/str_cat.h"
#include "report/html/axis.h"
#include "report/html/html_text.h"
#include "report/html/svg.h"
#include "report/pareto_front.h"

namespace preon {
namespace {

constexpr double kTradeOffLeft = 56, kTradeOffTop = 10, kTradeOffPlotWidth = 560, kTradeOffPlotHeight = 200,
                 kTradeOffBottom = 40;

struct TradeOffPoint {
  std::string number, name;
  double size_percent = 0, sqnr_db = 0;
  bool on_front = false;
};

std::vector<TradeOffPoint> TradeOffPointsOf(const std::vector<ValidatedModel>& models, int64_t float_size_bytes) {
  const std::vector<bool> on_front = OnParetoFront(models);
  std::vector<TradeOffPoint> points;
  for (size_t model = 0; model < models.size(); ++model) {
    const ValidatedModel& one = models[model];
    const OutputComparison* worst = WorstOutput(one.compare);
    if (!one.failed.empty() || worst == nullptr || float_size_bytes == 0) continue;
    points.push_back({.number = StrCat(model + 1),
                      .name = one.name,
                      .size_percent = 100 * static_cast<double>(one.size_bytes) / static_cast<double>(float_size_bytes),
                      .sqnr_db = worst->sqnr_db,
                      .on_front = on_front[model]});
  }
  return points;
}

class TradeOffPicture {
 public:
  explicit TradeOffPicture(std::vector<TradeOffPoint> points)
      : points_(std::move(points)),
        across_(AxisScale::kLinear, Values(&TradeOffPoint::size_percent)),
        up_(AxisScale::kLinear, Values(&TradeOffPoint::sqnr_db)) {}

  std::string Svg() const {
    const double width = kTradeOffLeft + kTradeOffPlotWidth + 30,
                 height = kTradeOffTop + kTradeOffPlotHeight + kTradeOffBottom;
    std::string label = "SQNR in dB against size in percent of float:";
    for (const TradeOffPoint& point : points_)
      label += StrCat(" ", point.number, ": ", HtmlNumber(point.size_percent), " %, ", HtmlNumber(point.sqnr_db),
                      point.on_front ? " dB, on the Pareto front;" : " dB;");
    return StrCat("<svg viewBox=\"0 0 ", width, " ", height, "\" style=\"min-width:480px;max-width:", width,
                  "px\" role=\"img\" aria-label=\"", label, "\">", Grid(), Front(), Dots(), "</svg>");
  }

 private:
  std::vector<double> Values(double TradeOffPoint::*value) const {
    std::vector<double> values;
    for (const TradeOffPoint& point : points_) values.push_back(point.*value);
    const auto [low, high] = std::ranges::minmax(values);
    const double room = (high - low) / 10;  // so that no point lies at an end
    values.insert(values.end(), {low - room, high + room});
    return values;
  }
  double x(double percent) const { return kTradeOffLeft + kTradeOffPlotWidth * across_.At(percent); }
  double y(double db) const { return kTradeOffTop + kTradeOffPlotHeight * (1 - up_.At(db)); }

  std::string Grid() const {
    std::string svg;
    const double bottom = kTradeOffTop + kTradeOffPlotHeight;
    for (const double tick : up_.Ticks())
      svg += SvgLine("grid", {kTradeOffLeft, y(tick)}, {kTradeOffLeft + kTradeOffPlotWidth, y(tick)}) +
             SvgText("tick", "end", {kTradeOffLeft - 6, y(tick) + 4}, HtmlNumber(tick));
    for (const double tick : across_.Ticks())
      svg += SvgLine("grid", {x(tick), kTradeOffTop}, {x(tick), bottom}) +
             SvgText("tick", "middle", {x(tick), bottom + 15}, HtmlNumber(tick));
    return svg + SvgText("tick", "middle", {kTradeOffLeft + kTradeOffPlotWidth / 2, bottom + 32}, "size, % of float") +
           SvgText("tick", "start", {kTradeOffLeft + 4, kTradeOffTop + 10}, "SQNR, dB");
  }

  std::string Front() const {
    std::vector<TradeOffPoint> front;
    std::ranges::copy_if(points_, std::back_inserter(front), &TradeOffPoint::on_front);
    std::ranges::sort(front, {}, &TradeOffPoint::size_percent);
    std::string path;
    for (const TradeOffPoint& point : front)
      path += StrCat(path.empty() ? "M" : "L", Coordinate(x(point.size_percent)), " ", Coordinate(y(point.sqnr_db)));
    return StrCat("<path class=\"curve low\" d=\"", path, "\"/>");
  }

  // Numbers of points that coincide stand together.
  std::string Dots() const {
    std::string svg;
    std::map<std::pair<int, int>, std::pair<const TradeOffPoint*, std::string>> labels;
    for (const TradeOffPoint& point : points_) {
      const double at_x = x(point.size_percent), at_y = y(point.sqnr_db);
      svg += StrCat("<circle class=\"", point.on_front ? "fill low" : "fill", "\" cx=\"", Coordinate(at_x), "\" cy=\"",
                    Coordinate(at_y), "\" r=\"5\"><title>", EscapeHtml(point.name), ": ",
                    HtmlNumber(point.size_percent), " % of float, ", HtmlNumber(point.sqnr_db), " dB</title></circle>");
      auto& [first, numbers] = labels[{static_cast<int>(at_x / 12), static_cast<int>(at_y / 12)}];
      if (first == nullptr) first = &point;
      numbers += (numbers.empty() ? "" : ", ") + point.number;
    }
    for (const auto& [place, label] : labels)
      svg += SvgText("label", "start", {x(label.first->size_percent) + 8, y(label.first->sqnr_db) + 4}, label.second);
    return svg;
  }

  const std::vector<TradeOffPoint> points_;
  const Axis across_, up_;
};

}  // namespace

std::string TradeOff(const std::vector<ValidatedModel>& models, int64_t float_size_bytes) {
  std::vector<TradeOffPoint> points = TradeOffPointsOf(models, float_size_bytes);
  if (points.size() < 2) return "";
  return StrCat(
      "<figure><figcaption><b>Error against size</b> <span class=\"note\">numbers as in the table; the line is "
      "the Pareto front: no other model is smaller and nearer to float</span></figcaption>"
      "<div class=\"scroll\" tabindex=\"0\">",
      TradeOffPicture(std::move(points)).Svg(), "</div></figure>\n");
}

}  // namespace preon
