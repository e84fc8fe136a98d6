#include "report/html/shown_names.h"

#include <set>

#include "report/html/html_text.h"
#include "report/json_object.h"

namespace preon {
namespace {

std::string InJson(const std::string& text) {
  const std::string quoted = JsonLine(text);
  return quoted.substr(1, quoted.size() - 2);
}

void Replace(std::string& text, const std::string& path, const std::string& name) {
  for (size_t at = text.find(path); at != std::string::npos; at = text.find(path, at + name.size()))
    text.replace(at, path.size(), name);
}

}  // namespace

std::string WithShownNames(std::string text, const ShownNames& names) {
  for (const auto& [path, name] : names) {
    if (path.empty()) continue;
    // As JSON first: there the name has to be written as in JSON, too, also where the path is the same in all three.
    std::set<std::string> done;
    for (const auto& [from, to] :
         {std::pair(InJson(path), InJson(name)), std::pair(EscapeHtml(path), EscapeHtml(name)), std::pair(path, name)})
      if (done.insert(from).second) Replace(text, from, to);
  }
  return text;
}

}  // namespace preon
