#include "report/error_json.h"

#include "base/text.h"
#include "base/version.h"
#include "report/json_object.h"

namespace preon {

namespace {

/// Begin and end of a text that names make far too long: those of a model may have any length.
std::string Shortened(const std::string& text) {
  constexpr size_t kBegin = 2000, kEnd = 1000;
  if (text.size() <= kBegin + kEnd + 100) return text;
  const auto inside_character = [&](size_t at) { return (text[at] & 0xc0) == 0x80; };
  size_t begin = kBegin, end = text.size() - kEnd;
  while (inside_character(begin)) --begin;
  while (inside_character(end)) ++end;
  return StrCat(text.substr(0, begin), " … ", end - begin, " bytes left out … ", text.substr(end));
}

}  // namespace

std::string ErrorMessage(const Status& error) {
  std::string message = error.message();
  for (char& c : message) c = c == '\n' || c == '\r' ? ' ' : c;
  if (message.ends_with('.')) message.pop_back();  // the runtime's words
  return Shortened(Printable(message));
}

std::string ErrorHint(const Status& error) { return Shortened(Printable(error.hint())); }

std::string ErrorJson(const Status& error) {
  JsonObject json = {{"schema", kJsonSchema}, {"version", kVersion}};
  JsonObject& told = json["error"];
  told = {{"id", StrCat("E", GetErrorInfo(error.id()).number)},
          {"status", GetErrorInfo(error.id()).exit_status},
          {"message", ErrorMessage(error)}};
  if (!error.hint().empty()) told["hint"] = ErrorHint(error);
  return JsonLine(json);
}

}  // namespace preon
