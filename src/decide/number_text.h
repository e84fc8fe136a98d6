// A number in a message.
#pragma once

#include <cstdio>
#include <string>

namespace preon {

/// @param format  printf's, of one double
inline std::string NumberText(const char* format, double value) {
  char text[48];
  std::snprintf(text, sizeof(text), format, value);
  return text;
}

}  // namespace preon
