// Commands that an answer proposes: with the options of the run that they were measured in.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "config/options.h"

namespace preon {

/// `command`, and behind it what was set for this run. @param left_out  names of options, without dashes
std::string WithGivenOptions(std::string command, const std::string& config_file, const std::vector<Setting>& given,
                             const std::set<std::string>& left_out);

/// `preon quantize` of the model with those of the given options that quantize takes and that are not `left_out`, which
/// are those that `more` sets, and with `more`. "SRC" stands for samples that no option names.
std::string QuantizeCommand(const std::string& model, const std::string& config_file, const std::vector<Setting>& given,
                            const std::string& more, std::set<std::string> left_out = {});

}  // namespace preon
