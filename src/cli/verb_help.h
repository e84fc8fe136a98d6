// What help, manual pages and completions tell: the verbs with their options in groups, out of the option table.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"

namespace preon::cli {

enum class Operand { kNone, kFile, kFolder, kChoice, kOther };

struct OptionHelp {
  std::string name;                  ///< without dashes
  std::string letter;                ///< "o"; may be empty
  std::string value;                 ///< "FILE"; empty for flags
  std::string help;                  ///< meaning, unit, default
  bool repeats = false;              ///< takes several words
  Operand operand = Operand::kNone;  ///< kChoice: one of `choices`
  std::vector<std::string> choices;  ///< also of options that take files, too (presets)
};

struct OptionsHelp {
  std::string title;
  std::vector<OptionHelp> options;
};

struct VerbHelp {
  std::string name, summary;
  std::vector<std::string> positionals;  ///< "FILE...": one or more; "[VERB]": may be absent
  std::vector<OptionsHelp> groups;       ///< those that have options for the verb, common ones first
  std::string examples;
  std::vector<std::string> choices;  ///< what its positional may be, where that is a list

  /// "preon quantize MODEL [OPTIONS]".
  std::string Usage() const;
};

/// An option that the command line itself reads.
struct OwnOption {
  std::string_view name, value, help;
  uint32_t verbs;  ///< ~0u: all
};
const std::vector<OwnOption>& OwnOptions();

/// Verbs about the command line itself (tool_verbs.h answers them).
std::vector<VerbHelp> ToolVerbs();

/// Those of Commands(), then help, completion and version.
std::vector<VerbHelp> DescribeVerbs(const Builtins& builtins);

}  // namespace preon::cli
