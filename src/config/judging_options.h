// What results should reach, and options of the verbs that judge models: validate, report and search.
#pragma once

#include <span>

#include "config/option_spec.h"

namespace preon {

std::span<const OptionSpec> JudgingOptions();

}  // namespace preon
