// Which program worker processes run.
#pragma once

#include <string>

#include "base/status.h"
#include "config/options.h"

namespace preon {

/// The preon binary: the one that the options name, else the one installed with this library, else that in PATH.
/// Errors: kWorkerStart.
Result<std::string> WorkerProgram(const Options& options);

}  // namespace preon
