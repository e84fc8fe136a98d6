// LayerChart: curves over the layers of a model as an SVG.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/html/axis.h"

namespace preon {

struct LayerCurve {
  std::string label;
  std::string style;                          ///< CSS class: its colour
  std::vector<std::optional<double>> values;  ///< one per layer
};

struct LayerChart {
  std::string title, note;
  AxisScale scale = AxisScale::kLinear;
  std::vector<LayerCurve> curves;
  std::vector<double> guides;  ///< values with a line across
  /// What stands below each place where places are no layers; empty: they are, and lead to their cards.
  std::vector<std::string> places = {};
};

/// @param layers  escaped names of the places; those of layers link to `#t0`, `#t1`, …
std::string ToHtml(const LayerChart& chart, const std::vector<std::string>& layers);

}  // namespace preon
