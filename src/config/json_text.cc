#include "config/json_text.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

namespace preon {
namespace {

using Json = nlohmann::json;

constexpr int kMaxDepth = 64;  // what writes JSON again goes down level by level

// "[json.exception.parse_error.101] parse error at line 1, column 4: …" from "line" on, without the bytes that were
// read, which may end in the middle of a character.
std::string_view WithoutClass(std::string_view message) {
  message = message.substr(0, message.find("; last read"));
  const size_t line = message.find("line "), bracket = message.find("] ");
  if (line != std::string_view::npos) return message.substr(line);
  return bracket == std::string_view::npos ? message : message.substr(bracket + 2);
}

// An object that the parser is in.
struct OpenObject {
  std::set<std::string> keys;
  std::string key;  // the last one
};

// "number overflow parsing '1e400'" behind the keys that lead there.
Status TooLarge(const std::vector<OpenObject>& open, std::string_view message) {
  std::string keys;
  for (const OpenObject& object : open) keys += (keys.empty() ? "" : ".") + object.key;
  std::string_view number = message.substr(std::min(message.find('\'') + 1, message.size()));
  number.remove_suffix(number.ends_with('\'') ? 1 : 0);
  constexpr size_t kShown = 20;
  const bool cut = number.size() > kShown;
  return Error(ErrorId::kBadConfig, keys, keys.empty() ? "" : ": ", "got ", number.substr(0, kShown), cut ? "..." : "",
               ", wanted a number of at most 1.8e308");
}

}  // namespace

Result<Json> ParseJson(const std::string& text) {
  std::vector<OpenObject> open;
  std::string twice;
  bool deep = false;
  const auto see = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) open.emplace_back();
    if (event == Json::parse_event_t::object_end) open.pop_back();
    if (event == Json::parse_event_t::key) {
      open.back().key = parsed.get<std::string>();
      if (!open.back().keys.insert(open.back().key).second) twice = open.back().key;
    }
    deep = deep || depth > kMaxDepth;
    return depth <= kMaxDepth;
  };
  try {
    Json json = Json::parse(text, see, /*allow_exceptions=*/true, /*ignore_comments=*/true);
    if (deep) return Error(ErrorId::kBadConfig, "more than ", kMaxDepth, " nested levels");
    if (!twice.empty()) return Error(ErrorId::kBadConfig, "key '", twice, "' is given twice");
    return json;
  } catch (const Json::out_of_range& problem) {
    return TooLarge(open, WithoutClass(problem.what()));
  } catch (const Json::exception& problem) {
    return Error(ErrorId::kBadConfig, "not JSON: ", WithoutClass(problem.what()));
  }
}

}  // namespace preon
