// Which other verbs take an option of `quantize`, because they quantize as it would.
#pragma once

#include <cstdint>
#include <string_view>

namespace preon {

/// Verbs (config/verb.h): what they make, they throw away, so that options about the file have no place.
uint32_t VerbsThatTake(std::string_view option_of_quantize);

}  // namespace preon
