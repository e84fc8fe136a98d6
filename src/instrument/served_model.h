// An instrumented model at work in a process that serves it.
#pragma once

#include <memory>

#include "instrument/collector.h"
#include "runtime/served/served_node.h"

namespace preon {

/// Where statistics go is the server's decision, never the model's: the session option preon.calib_out or the
/// environment variable PREON_CALIB_OUT, a folder or a pattern of a file's name. Without them nothing is collected.
/// PREON_CALIB_EVERY and PREON_CALIB_ONE_IN go over what the model says.
/// Errors: kModelInvalid, kModelMalformed, kRuntimeLoad.
Result<std::unique_ptr<ServedModel>> OpenInstrumented(const ServedSource& source, LogLine log);

}  // namespace preon
