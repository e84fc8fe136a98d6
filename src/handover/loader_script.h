// The text of fake_quant.py: the build makes it of the file beside this one.
#pragma once

#include <string_view>

namespace preon {

extern const std::string_view kLoaderScript;

}  // namespace preon
