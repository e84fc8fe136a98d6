// Help as manual pages: roff with the macros of man(7).
#pragma once

#include <string>
#include <vector>

#include "cli/verb_help.h"

namespace preon::cli {

/// preon(1): the verbs, exit status, environment.
std::string ManPage(const std::vector<VerbHelp>& verbs);
/// preon-VERB(1).
std::string ManPage(const VerbHelp& verb);

}  // namespace preon::cli
