// What a library user asks for, as options of the command line.
#pragma once

#include "config/options.h"
#include "preon/preon.h"

namespace preon {

/// Errors: kConflictingOptions for two values of one option, and for samples by both ways; those of the options.
Result<Options> ToOptions(const QuantizeOptions& given);

}  // namespace preon
