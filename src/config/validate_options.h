// Which options of `quantize` the verb validate takes, too.
#pragma once

#include <string_view>

namespace preon {

/// It quantizes as `quantize` would; what it makes, it throws away, so that options about the file have no place.
bool ValidateTakes(std::string_view option);

}  // namespace preon
