#include "config/json_text.h"

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

}  // namespace

Result<Json> ParseJson(const std::string& text) {
  std::vector<std::set<std::string>> open;  // keys of the objects around
  std::string twice;
  bool deep = false;
  const auto see = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) open.emplace_back();
    if (event == Json::parse_event_t::object_end) open.pop_back();
    if (event == Json::parse_event_t::key && !open.back().insert(parsed.get<std::string>()).second)
      twice = parsed.get<std::string>();
    deep = deep || depth > kMaxDepth;
    return depth <= kMaxDepth;
  };
  try {
    Json json = Json::parse(text, see, /*allow_exceptions=*/true, /*ignore_comments=*/true);
    if (deep) return Error(ErrorId::kBadConfig, "more than ", kMaxDepth, " nested levels");
    if (!twice.empty()) return Error(ErrorId::kBadConfig, "key '", twice, "' is given twice");
    return json;
  } catch (const Json::exception& problem) {
    return Error(ErrorId::kBadConfig, "not JSON: ", WithoutClass(problem.what()));
  }
}

}  // namespace preon
