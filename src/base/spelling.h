// Names a user types: case folding, lists, "did you mean …?".
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace preon {

/// A-Z to a-z; everything else stays.
std::string ToLower(std::string_view text);
/// a-z to A-Z; everything else stays.
std::string ToUpper(std::string_view text);
/// "a, b, c".
std::string JoinNames(std::span<const std::string> names);
/// "a, b and 2 more": at most `most` names of a list or a set, then how many are left.
template <typename Names>
std::string FirstNames(const Names& names, size_t most) {
  std::vector<std::string> first;
  for (auto name = names.begin(); name != names.end() && first.size() < most; ++name) first.push_back(*name);
  return JoinNames(first) + (names.size() > most ? " and " + std::to_string(names.size() - most) + " more" : "");
}
/// The known name nearest to `typed` by edit distance (case ignored); empty if none is near.
std::string NearestName(std::string_view typed, std::span<const std::string> known);
/// "; did you mean 'x'?" or "".
std::string DidYouMean(std::string_view typed, std::span<const std::string> known);

}  // namespace preon
