// "did you mean …?" for names a user types.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace preon {

/// The known name nearest to `typed` by edit distance (case ignored); empty if none is near.
std::string NearestName(std::string_view typed, std::span<const std::string> known);
/// "; did you mean 'x'?" or "".
std::string DidYouMean(std::string_view typed, std::span<const std::string> known);

}  // namespace preon
