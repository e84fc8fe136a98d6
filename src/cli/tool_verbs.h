// Verbs about the command line itself: help, completion, version. They need neither options nor a run.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "cli/verb_help.h"

namespace preon::cli {

/// What to print where the first of `words` is one of these verbs, else nullopt. Errors: kMissingOption,
/// kUnknownOption with the nearest name.
Result<std::optional<std::string>> AnswerToolVerb(std::span<const std::string> words, const Builtins& builtins);

}  // namespace preon::cli
