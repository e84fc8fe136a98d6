// An instrumented model at work in a process that serves it.
#pragma once

#include <memory>

#include "instrument/collector.h"
#include "runtime/served_node.h"

namespace preon {

/// Environment: PREON_CALIB_OUT, PREON_CALIB_EVERY and PREON_CALIB_ONE_IN go over what the model says.
/// Errors: kModelInvalid, kModelMalformed, kRuntimeLoad.
Result<std::unique_ptr<ServedModel>> OpenInstrumented(const ServedSource& source, LogLine log);

}  // namespace preon
