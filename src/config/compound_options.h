// Setters of the options that stand for others: they set these by their names in the option table, which therefore only
// declares them.
#pragma once

#include <string>

#include "base/status.h"
#include "config/options.h"

namespace preon {

/// --option: sets what a key of Quark stands for (keys/keys.cc). Errors: kUnknownOption with the nearest name;
/// kBadOptionValue; kNotYetSupported for what is not in this version, but for the value that switches it off; those of
/// the option it stands for.
Status SetKey(Options& options, const std::string& name, const std::string& value);

/// --qconfig, of preon's Python package: a QConfig as JSON text (files/qconfig.cc), which may have, in "option_names",
/// what messages call options of ours. Errors: those of ApplyQConfig.
Status ApplyQConfigText(Options& options, const std::string& text);

/// --algorithm: NAME[:option=value,...] (keys/algorithm_settings.cc). Errors: kUnknownOption with the nearest name;
/// kBadOptionValue; kNotYetSupported for algorithms of Quark that are not in this version.
Status AskForAlgorithm(AlgorithmOptions& options, const std::string& text);

}  // namespace preon
