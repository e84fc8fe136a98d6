// OptionSpec: one option, as the option table has it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "config/options.h"
#include "config/verb.h"

namespace preon {

enum class OptionKind { kFlag, kValue, kList };

struct OptionSpec {
  std::string_view name;        ///< long name without dashes; key in configuration files ('-' and '_' are the same)
  std::string_view value_name;  ///< "FILE", "N", …; empty for flags
  std::string_view help;        ///< meaning, unit, default; empty: between processes of preon, not for users
  OptionKind kind;
  uint32_t verbs;
  /// Sets one value (flags: "true" or "false"). Errors: kBadOptionValue, kUnknownOption, kNotYetSupported; the caller
  /// puts the option's name in front, if it is for users.
  Status (*set)(Options& options, const std::string& value);
  std::string_view disables = {};  ///< instead of `set`: the algorithm that this flag switches off

  Status Set(Options& options, const std::string& value) const;
};

}  // namespace preon
