// Which program worker processes run.
#pragma once

#include <string>

#include "base/status.h"

namespace preon {

/// The preon binary: `given` unless that is empty, else the one installed with this library, else that in PATH.
/// Errors: kWorkerStart.
Result<std::string> WorkerProgram(const std::string& given);

}  // namespace preon
