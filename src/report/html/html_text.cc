#include "report/html/html_text.h"

#include <cstdio>

#include "base/text.h"

namespace preon {

std::string EscapeHtml(std::string_view text) {
  std::string escaped;
  for (const char c : Printable(text)) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string HtmlNumber(const std::optional<double>& value) {
  if (!value) return "–";
  char text[32];
  std::snprintf(text, sizeof(text), "%.4g", *value);
  return text;
}

std::string Coordinate(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.2f", value);
  return text;
}

}  // namespace preon
