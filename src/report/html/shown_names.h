// Names that results and messages have in place of paths which nobody knows, such as those of temporary files.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace preon {

/// Paths, each with what it is called instead.
using ShownNames = std::vector<std::pair<std::string, std::string>>;

/// A message, a text, a JSON object or a page with the names in place of the paths.
std::string WithShownNames(std::string text, const ShownNames& names);

}  // namespace preon
