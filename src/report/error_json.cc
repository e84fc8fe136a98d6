#include "report/error_json.h"

#include "base/exit_status.h"
#include "base/text.h"
#include "base/version.h"
#include "report/json_object.h"

namespace preon {

std::string ErrorMessage(const Status& error) {
  std::string message = error.message();
  for (char& c : message) c = c == '\n' || c == '\r' ? ' ' : c;
  if (message.ends_with('.')) message.pop_back();  // the runtime's words
  return Printable(message);
}

std::string ErrorJson(const Status& error) {
  JsonObject json = {{"schema", kJsonSchema}, {"version", kVersion}};
  JsonObject& told = json["error"];
  told = {{"id", StrCat("E", GetErrorInfo(error.id()).number)},
          {"status", ExitStatus(error.id())},
          {"message", ErrorMessage(error)}};
  if (!error.hint().empty()) told["hint"] = Printable(error.hint());
  return JsonLine(json);
}

}  // namespace preon
