// The version, from CMake's project().
#pragma once

#include <string_view>

namespace preon {

inline constexpr std::string_view kVersion = PREON_VERSION;

}  // namespace preon
