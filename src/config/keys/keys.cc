#include "config/keys/keys.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "config/compound_options.h"
#include "config/json_text.h"
#include "config/keys/key_setters.h"
#include "config/option_values.h"

namespace preon {
namespace {

using Json = nlohmann::json;

constexpr std::array kTables = {&PreprocessingKeys, &SelectionKeys,  &QdqNodesKeys, &CalibrationKeys, &BiasKeys,
                                &TypesKeys,         &NpuKeys,        &BlocksKeys,   &MatMulNBitsKeys, &RuntimeKeys,
                                &ReportsKeys,       &AlgorithmsKeys, &LegacyKeys};
static_assert(kTables.size() == kKeyGroups.size());

// Removed from Quark, which reports them as unknown.
constexpr std::array kRemoved = {"LogSeverityLevel", "ActivationBitWidth"};

bool IsNone(const std::string& text) {
  const std::string lower = ToLower(text);
  return lower.empty() || lower == "none" || lower == "null";
}

Result<bool> ParseFlag(const std::string& text) {
  const std::string lower = ToLower(text);
  if (lower == "true" || lower == "1") return true;
  if (lower == "false" || lower == "0") return false;
  return BadValue(text, "true or false");
}

// "LOW..HIGH" of a key; nothing where there is no such bound.
std::pair<std::optional<double>, std::optional<double>> Bounds(std::string_view range) {
  const size_t dots = range.find("..");
  if (dots == std::string_view::npos) return {};
  return {ParseNumber<double>(range.substr(0, dots)), ParseNumber<double>(range.substr(dots + 2))};
}

template <typename T>
Result<T> ParseIn(std::string_view range, const std::string& text, std::string_view what) {
  const auto [low, high] = Bounds(range);
  const std::optional<T> number = ParseNumber<T>(text);
  const bool listed = range.find('|') == std::string_view::npos || std::ranges::count(Split(range, '|'), text) > 0;
  const auto as_double = [](T value) { return static_cast<double>(value); };
  if (number && listed && (!low || as_double(*number) >= *low) && (!high || as_double(*number) <= *high))
    return *number;
  if (!listed) return BadValue(text, StrCat("one of ", JoinNames(Split(range, '|'))));
  return BadValue(text, StrCat(what, low ? StrCat(" of at least ", *low) : "", low && high ? " and" : "",
                               high ? StrCat(" at most ", *high) : ""));
}

// One of the spellings that the key lists; a class in front, as in "CalibrationMethod.MinMax", is left out.
Result<std::string> ParseText(std::string_view range, const std::string& text) {
  if (range.empty()) return text;
  const std::string bare = ToLower(text.substr(text.rfind('.') == std::string::npos ? 0 : text.rfind('.') + 1));
  const std::vector<std::string> listed = Split(range, '|');
  const auto found = std::ranges::find(listed, bare, [](const std::string& name) { return ToLower(name); });
  if (found != listed.end()) return *found;
  return BadValue(text, StrCat("one of ", JoinNames(listed)));
}

Result<std::vector<std::string>> ParseTexts(const std::string& text) {
  if (!text.starts_with('[')) {
    std::vector<std::string> texts = Split(text, ',');
    if (std::ranges::find(texts, "") != texts.end()) return BadValue(text, "names with commas between them");
    return texts;
  }
  const Json list = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!list.is_array() || !std::ranges::all_of(list, &Json::is_string)) return BadValue(text, "a list of names");
  return list.get<std::vector<std::string>>();
}

Status CheckNumbers(const KeySpec& key, const std::string& text) {
  const Json list = Json::parse(text.starts_with('[') ? text : "[" + text + "]", nullptr, /*allow_exceptions=*/false);
  if (!list.is_array() || list.empty() || !std::ranges::all_of(list, &Json::is_number))
    return BadValue(text, "a list of numbers");
  for (const Json& number : list) PREON_RETURN_IF_ERROR(ParseIn<double>(key.range, number.dump(), "numbers").status());
  return Status::Ok();
}

// Entries of a table that have a description of their own: known, in this version, and of their type.
Status CheckTable(const KeySpec& key, const std::string& text) {
  const Result<Json> parsed_table = ParseJson(text);
  if (!parsed_table.ok() || !(parsed_table->is_object() || parsed_table->is_array()))
    return BadValue(text, StrCat("a JSON object or list",
                                 parsed_table.ok() ? "" : StrCat(" (", parsed_table.status().message(), ")")));
  const Json& table = *parsed_table;
  const std::string inside = StrCat(key.name, ".");
  std::vector<std::string> known;
  for (const auto keys : kTables) {
    for (const KeySpec& other : keys()) {
      if (other.name.starts_with(inside) && !other.name.substr(inside.size()).starts_with("*."))
        known.emplace_back(other.name.substr(inside.size()));
    }
  }
  if (known.empty()) return Status::Ok();
  if (!table.is_object()) return BadValue(text, StrCat("a JSON object with ", JoinNames(known)));
  for (const auto& [name, value] : table.items()) {
    const KeySpec* entry = FindKey(inside + name);
    if (entry == nullptr) return Error(ErrorId::kUnknownOption, "unknown entry '", name, "'", DidYouMean(name, known));
    if (value.is_string() && entry->short_form) continue;
    const Status parsed = ParseKeyValue(*entry, value.is_string() ? value.get<std::string>() : value.dump()).status();
    if (!parsed.ok()) return Status(parsed).WithContext(name);
  }
  return Status::Ok();
}

Status Unknown(Options& options, const std::string& name) {
  if (std::ranges::find(kRemoved, name) != kRemoved.end()) {
    options.given.warnings.push_back(StrCat(name, ": has no effect: Quark has removed it"));
    return Status::Ok();
  }
  std::vector<std::string> known;
  for (const auto keys : kTables) {
    for (const KeySpec& key : keys()) {
      if (key.name.find('.') == std::string_view::npos) known.emplace_back(key.name);
    }
  }
  return Error(ErrorId::kUnknownOption, "unknown key '", name, "'", DidYouMean(name, known))
      .WithHint("--option help lists the keys");
}

// A key that is among the options of algorithms, or a table of such: kept by its name.
Status SetAlgorithmKey(std::map<std::string, std::string>& keys, std::string_view key, KeyType type,
                       const std::string& text) {
  if (type != KeyType::kTable) {
    keys[std::string(key)] = text;
    return Status::Ok();
  }
  PREON_ASSIGN_OR_RETURN(const Json table, ParseJson(text));
  if (!table.is_object()) {  // a pair of numbers
    keys[std::string(key)] = text;
    return Status::Ok();
  }
  for (const auto& [name, value] : table.items()) {
    const KeySpec* entry = FindKey(StrCat(key, ".", name));
    if (value.is_null() || entry == nullptr) continue;
    keys[std::string(entry->name)] = value.is_string() ? value.get<std::string>() : value.dump();
  }
  return Status::Ok();
}

Status Set(Options& options, const KeySpec& key, const std::string& text) {
  PREON_ASSIGN_OR_RETURN(const std::optional<KeyValue> value, ParseKeyValue(key, text));
  if (!value) return Status::Ok();
  options.given.origins.hints.erase(std::string(key.name));
  options.given.keys[std::string(key.name)] = key.type == KeyType::kFlag ? (value->on ? "true" : "false") : value->text;
  const OpListOptions before = options.plan.op_list;
  const size_t set_before = options.given.settings.size();
  PREON_RETURN_IF_ERROR(
      SetInTheNameOf(key.name, options.given.settings, options.algorithms.asked, options.given.origins, [&] {
        return key.of_algorithm ? SetAlgorithmKey(options.algorithms.keys, key.name, key.type, text)
                                : key.set(options, *value);
      }));
  if (options.plan.op_list != before) options.given.op_list_settings.emplace_back(key.name);
  if (key.type == KeyType::kFlag && !value->on) {
    std::set<std::string>& hints = options.given.origins.hints;
    hints.emplace(key.name);
    for (size_t index = set_before; index < options.given.settings.size(); ++index)
      hints.insert(options.given.settings[index].name);
  }
  return Status::Ok();
}

}  // namespace

std::string_view KeyTypeName(KeyType type) {
  switch (type) {
    case KeyType::kFlag:
      return "true or false";
    case KeyType::kInteger:
      return "integer";
    case KeyType::kNumber:
      return "number";
    case KeyType::kText:
      return "text";
    case KeyType::kTexts:
      return "list of texts";
    case KeyType::kNumbers:
      return "list of numbers";
    case KeyType::kTable:
      return "table";
    case KeyType::kObject:
      return "object";
  }
  return "";
}

std::span<const KeySpec> KeysOf(KeyGroup group) { return kTables[static_cast<size_t>(group)](); }

const KeySpec* FindKey(std::string_view name) {
  const std::string lower = ToLower(std::string(name));
  for (const auto keys : kTables) {
    for (const KeySpec& key : keys()) {
      if (ToLower(std::string(key.name)) == lower) return &key;
    }
  }
  return nullptr;
}

bool IsDefault(std::string_view key, const std::string& text) {
  const KeySpec* known = FindKey(key);
  if (known == nullptr) return false;
  const Json fallback = Json::parse(known->fallback);
  if (fallback.is_boolean()) return ParseFlag(text).ok() && *ParseFlag(text) == fallback.get<bool>();
  return fallback.is_string() ? fallback.get<std::string>() == text
                              : fallback == Json::parse(text, nullptr, /*allow_exceptions=*/false);
}

std::string_view StageOf(KeyGroup group) {
  switch (group) {
    case KeyGroup::kPreprocessing:
      return "prepare";
    case KeyGroup::kCalibration:
      return "calibrate";
    case KeyGroup::kRuntime:
      return "all";
    case KeyGroup::kReports:
      return "report";
    case KeyGroup::kAlgorithms:
      return "algorithms";
    default:
      return "plan";
  }
}

Result<std::optional<KeyValue>> ParseKeyValue(const KeySpec& key, const std::string& text) {
  KeyValue value{.text = text};
  if (IsNone(text)) return std::optional<KeyValue>();
  switch (key.type) {
    case KeyType::kFlag: {
      PREON_ASSIGN_OR_RETURN(value.on, ParseFlag(text));
      break;
    }
    case KeyType::kInteger: {
      PREON_ASSIGN_OR_RETURN(value.integer, ParseIn<int64_t>(key.range, text, "an integer"));
      break;
    }
    case KeyType::kNumber: {
      PREON_ASSIGN_OR_RETURN(value.number, ParseIn<double>(key.range, text, "a number"));
      break;
    }
    case KeyType::kText: {
      PREON_ASSIGN_OR_RETURN(value.text, ParseText(key.range, text));
      break;
    }
    case KeyType::kTexts: {
      PREON_ASSIGN_OR_RETURN(value.texts, ParseTexts(text));
      break;
    }
    case KeyType::kNumbers:
      PREON_RETURN_IF_ERROR(CheckNumbers(key, text));
      break;
    case KeyType::kTable:
      PREON_RETURN_IF_ERROR(CheckTable(key, text));
      if (const Json table = *ParseJson(text); table.is_object() && table.empty()) value.text = "{}";
      break;
    case KeyType::kObject:
      return BadValue(text, "an object that only the calling program can give, not a text");
  }
  return std::optional(std::move(value));
}

Status SetKey(Options& options, const std::string& name, const std::string& value) {
  const KeySpec* key = FindKey(name);
  if (key == nullptr || key->name.find('.') != std::string_view::npos) return Unknown(options, name);
  return Set(options, *key, value).WithContext(key->name);
}

}  // namespace preon
