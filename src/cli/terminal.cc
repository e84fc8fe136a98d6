#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace preon::cli {
namespace {

std::string_view Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

const char* CodeOf(Style style) {
  switch (style) {
    case Style::kBold:
      return "\x1b[1m";
    case Style::kRed:
      return "\x1b[1;31m";
    case Style::kYellow:
      return "\x1b[33m";
    case Style::kCyan:
      return "\x1b[36m";
  }
  return "";
}

}  // namespace

bool ShowsColor(int stream) {
  return isatty(stream) != 0 && Environment("NO_COLOR").empty() && Environment("TERM") != "dumb";
}

std::string Styled(std::string_view text, Style style, bool color) {
  if (!color) return std::string(text);
  return std::string(CodeOf(style)).append(text).append("\x1b[0m");
}

size_t LineWidth(int stream) {
  constexpr size_t kLeast = 60, kMost = 120, kInPipe = 100;
  winsize size{};
  if (ioctl(stream, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kInPipe;
  return std::clamp<size_t>(size.ws_col, kLeast, kMost);
}

}  // namespace preon::cli
