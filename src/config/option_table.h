// The one description of every option: command line, configuration file and library settings all go through it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"
#include "config/option_spec.h"

namespace preon {

std::span<const OptionSpec> OptionTable();

/// Sets an option by its long name. Errors: kUnknownOption with the nearest name, those of its setter.
Status SetOption(Options& options, std::string_view name, const std::string& value);

}  // namespace preon
