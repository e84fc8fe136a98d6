// Base64 of RFC 4648, section 4.
#pragma once

#include <string>
#include <string_view>

namespace preon {

std::string Base64(std::string_view bytes);

}  // namespace preon
