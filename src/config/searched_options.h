// Which options a search may try several values of.
#pragma once

#include <string_view>

namespace preon {

/// Whether it says how a model is quantized.
bool MayVary(std::string_view option);

}  // namespace preon
