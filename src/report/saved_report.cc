#include "base/text.h"
#include "report/json.h"
#include "report/json_object.h"
#include "report/text_report.h"
#include "report/text_writer.h"

namespace preon {

std::string ToJson(const SavedResult& result) {
  JsonObject json = BeginJson(result.facts);
  json["file"] = result.file;
  if (!result.output.empty()) json["output"] = result.output;
  std::string line = JsonLine(json);
  line.pop_back();  // the content is a JSON object already
  return StrCat(line, ",\"result\":", result.content.json, "}");
}

std::string ToText(const SavedResult& result) {
  TextWriter out;
  out.Add("%s: result of %s, preon %s\n", Printable(result.file).c_str(), Printable(result.content.verb).c_str(),
          Printable(result.content.version).c_str());
  for (const SavedTable& table : result.content.tables) {
    out.Add("\n%s\n", Printable(table.name).c_str());
    for (const auto& row : table.rows) {
      std::string line;
      for (size_t i = 0; i < row.size(); ++i) {
        if (row[i].text.empty()) continue;
        const bool named = table.name != "values";
        line += StrCat("  ", named ? table.columns[i] + " " : "", row[i].text);
      }
      out.Add("%s\n", Printable(line).c_str());
    }
  }
  if (!result.output.empty()) out.Add("\noutput  %s\n", Printable(result.output).c_str());
  for (const std::string& alarm : result.content.alarms) out.Add("ALARM   %s\n", Printable(alarm).c_str());
  AddWarnings(out, result.content.warnings);
  return out.Take();
}

}  // namespace preon
