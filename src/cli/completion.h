// What shells need to complete verbs, options and values, as scripts that need no preon when they run.
#pragma once

#include <string>
#include <vector>

#include "cli/verb_help.h"

namespace preon::cli {

std::string BashCompletion(const std::vector<VerbHelp>& verbs);
std::string ZshCompletion(const std::vector<VerbHelp>& verbs);
std::string FishCompletion(const std::vector<VerbHelp>& verbs);

}  // namespace preon::cli
