// Text and numbers as they may stand in a page.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace preon {

/// For content and for quoted attributes: no markup, no control characters, valid UTF-8 whatever the bytes were.
std::string EscapeHtml(std::string_view text);

/// Four digits ("0.001234", "1.2e-08"); "–" where there is none.
std::string HtmlNumber(const std::optional<double>& value);
/// Two digits behind the point: coordinates.
std::string Coordinate(double value);

}  // namespace preon
