// Options of what a run needs around it: threads, processor, operators, temporary files.
#pragma once

#include <span>

#include "config/option_spec.h"

namespace preon {

std::span<const OptionSpec> RuntimeOptions();

}  // namespace preon
