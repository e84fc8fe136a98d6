// What a terminal can show: colors and lines of a width.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace preon::cli {

enum class Style { kBold, kRed, kYellow, kCyan };

/// Is the stream a terminal that shows colors, and did nobody ask for none (NO_COLOR, TERM=dumb)?
bool ShowsColor(int stream);

/// The text in the style where `color`, else unchanged.
std::string Styled(std::string_view text, Style style, bool color);

/// Columns of the terminal behind the stream, from 60 to 120; 100 where it is none.
size_t LineWidth(int stream);

}  // namespace preon::cli
