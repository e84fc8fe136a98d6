// Names a user types: case folding, lists, "did you mean …?".
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace preon {

/// A-Z to a-z; everything else stays.
std::string ToLower(std::string_view text);
/// "a, b, c".
std::string JoinNames(std::span<const std::string> names);
/// The known name nearest to `typed` by edit distance (case ignored); empty if none is near.
std::string NearestName(std::string_view typed, std::span<const std::string> known);
/// "; did you mean 'x'?" or "".
std::string DidYouMean(std::string_view typed, std::span<const std::string> known);

}  // namespace preon
