#include "data/labels.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/text.h"

namespace preon {

int64_t ClassNames::IndexOf(const std::string& name) const {
  if (std::ranges::all_of(names_, [](const std::string& known) { return ParseNumber<int64_t>(known).has_value(); })) {
    return *ParseNumber<int64_t>(name);
  }
  return std::distance(names_.begin(), names_.find(name));
}

Result<LabelFile> LabelFile::Load(const std::string& path) {
  const std::string where = "--labels: " + path;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return Error(ErrorId::kDataNotFound, where, ": no such file");
  PREON_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  LabelFile labels;
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && text[first] == '{') {
    const nlohmann::json object = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (object.is_discarded()) return Error(ErrorId::kLabels, where, ": not valid JSON");
    for (const auto& [name, value] : object.items()) {
      if (!value.is_string() && !value.is_number_integer()) {
        return Error(ErrorId::kLabels, where, ": '", name, "': got ", value.dump(), ", wanted an index or a name");
      }
      PREON_RETURN_IF_ERROR(labels.Add(where, name, value.is_string() ? value.get<std::string>() : value.dump()));
    }
  } else {
    int line_number = 0;
    for (std::string& line : Split(text, '\n')) {
      ++line_number;
      if (line.ends_with('\r')) line.pop_back();
      if (line.empty()) continue;
      const size_t tab = line.find('\t');
      if (tab == 0 || tab == std::string::npos || tab + 1 == line.size() ||
          line.find('\t', tab + 1) != std::string::npos) {
        return Error(ErrorId::kLabels, where, ":", line_number, ": got '", line, "', wanted NAME<TAB>CLASS");
      }
      PREON_RETURN_IF_ERROR(labels.Add(StrCat(where, ":", line_number), line.substr(0, tab), line.substr(tab + 1)));
    }
  }
  if (labels.classes_.empty())
    return Error(ErrorId::kLabels, where, ": no labels; wanted NAME<TAB>CLASS lines or a JSON object");
  return labels;
}

Status LabelFile::Add(const std::string& where, const std::string& name, const std::string& class_name) {
  const auto [entry, fresh] = classes_.emplace(name, class_name);
  if (!fresh && entry->second != class_name) {
    return Error(ErrorId::kLabels, where, ": '", name, "' has class '", class_name, "', before it had '", entry->second,
                 "'");
  }
  names_.Add(class_name);
  return Status::Ok();
}

std::optional<int64_t> LabelFile::Find(const std::string& key) const {
  auto entry = classes_.find(key);
  if (entry == classes_.end()) entry = classes_.find(key.substr(key.rfind('/') + 1));
  if (entry == classes_.end()) return std::nullopt;
  return names_.IndexOf(entry->second);
}

}  // namespace preon
