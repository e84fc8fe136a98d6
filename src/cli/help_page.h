// Help as text for a terminal.
#pragma once

#include <string>
#include <vector>

#include "cli/verb_help.h"

namespace preon::cli {

/// The verbs. In the width and colors of stdout.
std::string HelpPage(const std::vector<VerbHelp>& verbs);
/// One verb: usage, options in groups, examples.
std::string HelpPage(const VerbHelp& verb);

/// The words of the text in lines of `width` columns, all but the first indented by `indent`. Exposed for its test.
std::string Wrapped(std::string_view text, size_t indent, size_t width);

}  // namespace preon::cli
