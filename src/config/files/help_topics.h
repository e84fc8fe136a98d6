// Lists behind "--method help", "--target help", "--activation help", …
#pragma once

#include <string>
#include <string_view>

#include "config/builtins.h"

namespace preon {

/// The values of an option with one line each, or "" when the option has no list.
std::string HelpTopic(std::string_view option, const Builtins& builtins);

}  // namespace preon
