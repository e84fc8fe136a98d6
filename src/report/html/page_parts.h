// What pages are put together from.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace preon {

/// Everything in front of the first section. @param title  escaped
std::string PageHead(std::string_view kind, const std::string& title);
/// The end, with the script that sorts and filters where the page has a field for that.
std::string PageEnd(bool with_filter);
/// The field that filters rows and cards by `data-name`; once in a page.
std::string FilterField();

/// The result as JSON in the element `data`.
std::string DataElement(const std::string& json);

/// A figure with a word below. @param style  "bad" or ""
std::string Tile(const std::string& value, const std::string& label, const char* style = "");
std::string Tiles(const std::string& tiles);
std::string Note(const std::string& text);
/// Each in a line of its own behind a mark. @param mark  "warning"
std::string MarkedLines(std::string_view mark, const std::vector<std::string>& messages);

/// One cell: a number, sorted as such; an escaped text.
std::string NumberColumn(double value, const char* style = "", const char* unit = "");
std::string TextColumn(const std::string& html);
/// @param rows  of cells; the first column is text
std::string Table(const std::vector<std::string>& heads, const std::string& rows);

}  // namespace preon
