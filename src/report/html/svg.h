// Elements of pictures.
#pragma once

#include <string>
#include <string_view>

#include "base/str_cat.h"
#include "report/html/html_text.h"

namespace preon {

struct SvgPlace {
  double x = 0, y = 0;
};

/// @param style  class names
inline std::string SvgLine(std::string_view style, SvgPlace from, SvgPlace to) {
  return StrCat("<line class=\"", style, "\" x1=\"", Coordinate(from.x), "\" y1=\"", Coordinate(from.y), "\" x2=\"",
                Coordinate(to.x), "\" y2=\"", Coordinate(to.y), "\"/>");
}

/// @param anchor  which part of the text lies at the place: start, middle, end. @param text  escaped
inline std::string SvgText(std::string_view style, std::string_view anchor, SvgPlace at, std::string_view text) {
  return StrCat("<text class=\"", style, "\" text-anchor=\"", anchor, "\" x=\"", Coordinate(at.x), "\" y=\"",
                Coordinate(at.y), "\">", text, "</text>");
}

}  // namespace preon
