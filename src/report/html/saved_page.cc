#include "report/html/saved_page.h"

#include "base/status.h"
#include "report/html/html_text.h"
#include "report/html/page_parts.h"
#include "report/json.h"

namespace preon {
namespace {

std::string Row(const std::vector<SavedCell>& cells) {
  std::string row = StrCat("<tr data-name=\"", EscapeHtml(cells.front().text), "\">");
  for (const SavedCell& cell : cells)
    row += cell.number ? NumberColumn(*cell.number) : TextColumn(EscapeHtml(cell.text.empty() ? "–" : cell.text));
  return row + "</tr>\n";
}

std::string Section(const SavedTable& table) {
  std::vector<std::string> heads;
  for (const std::string& column : table.columns) heads.push_back(EscapeHtml(column));
  std::string rows;
  for (const auto& cells : table.rows) rows += Row(cells);
  return StrCat("<h2>", EscapeHtml(table.name), "</h2>\n", Table(heads, rows));
}

}  // namespace

std::string ReportPage(const SavedResult& result) {
  std::string html = PageHead("report", StrCat("Result of ", EscapeHtml(result.content.verb)));
  html += Note(StrCat(EscapeHtml(result.file), " · made by preon ", EscapeHtml(result.content.version),
                      " · the names are those of the JSON, explained in docs/json.md"));
  html += MarkedLines("ALARM", result.content.alarms) + MarkedLines("warning", result.content.warnings) + FilterField();
  for (const SavedTable& table : result.content.tables) html += Section(table);
  return html + DataElement(ToJson(result)) + PageEnd(true);
}

}  // namespace preon
