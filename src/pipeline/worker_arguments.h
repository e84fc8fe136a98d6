// What a worker process is told on its command line.
#pragma once

#include <string>
#include <vector>

#include "config/options.h"

namespace preon {

/// The options of `given` that a calibration takes, as words of a command line; not those that each worker has its
/// own of (output, threads, folder for temporary files, …).
std::vector<std::string> CalibrationArguments(const std::string& config_file, const std::vector<Setting>& settings);

}  // namespace preon
