// What may stand behind an option, for the completion of command lines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/builtins.h"

namespace preon {

/// The values of an option that has a list of them; one that ends with '=' wants more behind it. Empty otherwise.
std::vector<std::string> ChoicesOf(std::string_view option, const Builtins& builtins);

}  // namespace preon
