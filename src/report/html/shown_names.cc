#include "report/html/shown_names.h"

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
    // As JSON first: there the name has to be written as in JSON, too, also where the path is the same in all three.
    Replace(text, InJson(path), InJson(name));
    Replace(text, EscapeHtml(path), EscapeHtml(name));
    Replace(text, path, name);
  }
  return text;
}

}  // namespace preon
