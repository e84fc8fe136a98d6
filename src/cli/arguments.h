// Arguments: words of the command line -> a verb, its options and how to talk about the run.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "config/options.h"

namespace preon::cli {

enum class Verbosity { kQuiet, kNormal, kVerbose };

struct Arguments {
  Command command{};
  std::vector<std::string> positionals;
  Options options;
  bool json = false;
  Verbosity verbosity = Verbosity::kNormal;
  std::string help;  ///< not empty: print this and end well
};

/// Is --json among the words? Also of a command line that is wrong.
bool WantsJson(int argc, const char* const* argv);

/// Errors: kUnknownOption with the nearest name, kMissingOption, kBadOptionValue, kConflictingOptions, those of options
/// and configuration files. The configuration file is applied first, the command line over it.
Result<Arguments> ParseArguments(int argc, const char* const* argv, const Builtins& builtins);

}  // namespace preon::cli
