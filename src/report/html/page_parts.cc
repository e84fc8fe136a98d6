#include "report/html/page_parts.h"

#include "base/status.h"
#include "report/html/html_text.h"
#include "report/html/page_assets.h"

namespace preon {

std::string PageHead(std::string_view kind, const std::string& title) {
  return StrCat(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width\"><title>preon ",
      kind, ": ", title, "</title><style>", kPageStyle, "</style></head><body>\n<main>\n<h1>", title, "</h1>\n");
}

std::string PageEnd(bool with_filter) {
  return StrCat(with_filter ? StrCat("<script>", kPageScript, "</script>") : "", "</main></body></html>\n");
}

std::string FilterField() {
  return "<input id=\"filter\" type=\"search\" placeholder=\"filter by name\" aria-label=\"filter by name\">\n";
}

// In a script element only "</" and "<!" could end it early; JSON may write "<" as an escape.
std::string DataElement(const std::string& json) {
  std::string text;
  for (const char c : json) text += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return StrCat("<script type=\"application/json\" id=\"data\">", text, "</script>\n");
}

std::string Tile(const std::string& value, const std::string& label, const char* style) {
  return StrCat("<div class=\"tile\"><b class=\"", style, "\">", value, "</b><span>", label, "</span></div>");
}

std::string Tiles(const std::string& tiles) { return StrCat("<div class=\"tiles\">", tiles, "</div>\n"); }

std::string Note(const std::string& text) { return StrCat("<p class=\"note\">", text, "</p>\n"); }

std::string MarkedLines(std::string_view mark, const std::vector<std::string>& messages) {
  std::string html;
  for (const std::string& message : messages)
    html += StrCat("<p><span class=\"bad\">", mark, "</span> ", EscapeHtml(message), "</p>\n");
  return html;
}

std::string NumberColumn(double value, const char* style, const char* unit) {
  return StrCat("<td class=\"", style, "\" data-v=\"", value, "\">", HtmlNumber(value), unit, "</td>");
}

std::string TextColumn(const std::string& html) { return StrCat("<td class=\"text\">", html, "</td>"); }

std::string Table(const std::vector<std::string>& heads, const std::string& rows) {
  std::string html = "<div class=\"rows\" tabindex=\"0\"><table><thead><tr>";
  for (const std::string& head : heads)
    html += StrCat("<th class=\"", &head == &heads.front() ? "text" : "", "\">", head, "</th>");
  return StrCat(html, "</tr></thead><tbody>\n", rows, "</tbody></table></div>\n");
}

}  // namespace preon
