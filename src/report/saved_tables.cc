#include "report/saved_tables.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "report/json_object.h"

namespace preon {
namespace {

std::string Below(const std::string& key, const std::string& inner) { return key.empty() ? inner : key + "." + inner; }

bool IsListOfObjects(const JsonObject& value) {
  return value.is_array() && std::ranges::any_of(value, [](const JsonObject& one) { return one.is_object(); });
}

// Outputs, tensors and methods by their names.
bool IsObjectOfObjects(const JsonObject& value) {
  return value.is_object() && !value.empty() &&
         std::ranges::all_of(value, [](const JsonObject& one) { return one.is_object(); });
}

std::string TextOf(const JsonObject& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_null()) return "";
  if (value.is_number_float()) {
    char digits[32];
    std::snprintf(digits, sizeof(digits), "%.4g", value.get<double>());
    return digits;
  }
  if (!value.is_array()) return JsonLine(value);
  constexpr size_t kShown = 16;
  std::string text;
  for (size_t i = 0; i < std::min(value.size(), kShown); ++i) text += (i == 0 ? "" : ", ") + TextOf(value[i]);
  return value.size() <= kShown ? text : StrCat(text, ", … (", value.size(), " values)");
}

constexpr size_t kMostColumns = 100;

using Cells = std::vector<std::pair<std::string, SavedCell>>;

// The values inside `value` with the keys that lead there.
void AddCells(const JsonObject& value, const std::string& key, Cells& cells) {
  if (value.is_object()) {
    for (const auto& [name, inner] : value.items()) AddCells(inner, Below(key, name), cells);
  } else if (IsListOfObjects(value)) {
    cells.push_back({key, {StrCat(value.size(), " entries"), std::nullopt}});
  } else {
    cells.push_back({key, {TextOf(value), value.is_number() ? std::optional(value.get<double>()) : std::nullopt}});
  }
}

class Tables {
 public:
  explicit Tables(const JsonObject& result) {
    tables_.push_back({.name = "values", .columns = {"key", "value"}, .rows = {}});
    Add(result, "");
  }

  std::vector<SavedTable> Take() { return std::move(tables_); }

 private:
  void Add(const JsonObject& object, const std::string& key) {
    for (const auto& [name, value] : object.items()) {
      const std::string inner = Below(key, name);
      if (IsListOfObjects(value)) {
        AddTable(inner, {}, value);
      } else if (IsObjectOfObjects(value)) {
        AddTable(inner, "name", value);
      } else if (value.is_object()) {
        Add(value, inner);
      } else {
        Cells cells;
        AddCells(value, inner, cells);
        tables_.front().rows.push_back({{inner, std::nullopt}, cells.front().second});
      }
    }
  }

  // @param name_column  of the keys of `entries`; "" for a list
  void AddTable(const std::string& name, const std::string& name_column, const JsonObject& entries) {
    SavedTable table{.name = name, .columns = {}, .rows = {}};
    std::vector<Cells> rows;
    for (const auto& [key, entry] : entries.items()) {
      Cells& cells = rows.emplace_back();
      if (!name_column.empty()) cells.push_back({name_column, {key, std::nullopt}});
      AddCells(entry, "", cells);
      for (const auto& [column, cell] : cells) {
        if (std::ranges::find(table.columns, column) != table.columns.end()) continue;
        if (table.columns.size() == kMostColumns) return AddEntries(name, entries);  // each entry has keys of its own
        table.columns.push_back(column);
      }
    }
    if (table.columns.empty()) return AddEntries(name, entries);  // all are empty objects
    for (const Cells& cells : rows) {
      std::vector<SavedCell>& row = table.rows.emplace_back(table.columns.size());
      for (const auto& [column, cell] : cells)
        row[static_cast<size_t>(std::ranges::find(table.columns, column) - table.columns.begin())] = cell;
    }
    tables_.push_back(std::move(table));
  }

  // Each entry as JSON.
  void AddEntries(const std::string& name, const JsonObject& entries) {
    SavedTable table{.name = name, .columns = {"name", "entry"}, .rows = {}};
    for (const auto& [key, entry] : entries.items())
      table.rows.push_back({{key, std::nullopt}, {JsonLine(entry), std::nullopt}});
    tables_.push_back(std::move(table));
  }

  std::vector<SavedTable> tables_;
};

// Takes the list out of the object.
std::vector<std::string> TakeTexts(JsonObject& object, const char* key) {
  std::vector<std::string> texts;
  if (const auto list = object.find(key); list != object.end() && list->is_array()) {
    for (const JsonObject& one : *list)
      texts.push_back(one.is_object() && one.contains("message") ? TextOf(one["message"]) : TextOf(one));
  }
  object.erase(key);
  return texts;
}

}  // namespace

Result<SavedContent> ReadSavedResult(const std::string& text) {
  JsonObject json = JsonObject::parse(text, nullptr, /*allow_exceptions=*/false, /*ignore_comments=*/true);
  if (json.is_object() && json.contains("error") && json["error"].is_object())
    return Error(ErrorId::kResultUnusable, "holds an error, no result: ", TextOf(json["error"].value("message", json)));
  if (!json.is_object() || !json.contains("schema") || !json.contains("verb") || !json["verb"].is_string())
    return Error(ErrorId::kResultUnusable,
                 "is not a result of preon: wanted an object with 'schema' and 'verb', as --json "
                 "prints it");
  if (json["schema"] != kJsonSchema)
    return Error(ErrorId::kResultUnusable, "schema ", JsonLine(json["schema"]), "; this version reads ", kJsonSchema);
  SavedContent saved;
  saved.json = JsonLine(json);
  saved.verb = json["verb"];
  saved.version = json.contains("version") ? TextOf(json["version"]) : "";
  saved.alarms = TakeTexts(json, "alarms");
  saved.warnings = TakeTexts(json, "warnings");
  for (const char* shown : {"schema", "verb", "version"}) json.erase(shown);
  saved.tables = Tables(json).Take();
  return saved;
}

}  // namespace preon
