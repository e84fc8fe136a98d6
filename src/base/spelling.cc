#include "base/spelling.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/text.h"

namespace preon {
namespace {

// Not std::tolower and std::toupper: names are ASCII, and the user's locale must not change what a name means.
char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }
char Upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; }

size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t substituted = diagonal + (Lower(a[i - 1]) != Lower(b[j - 1]));
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string ToLower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = Lower(c);
  return lower;
}

std::string ToUpper(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) c = Upper(c);
  return upper;
}

std::string JoinNames(std::span<const std::string> names) { return Join(names, ", "); }

std::string NearestName(std::string_view typed, std::span<const std::string> known) {
  std::string best;
  size_t best_distance = std::max<size_t>(2, typed.size() / 3) + 1;
  for (const std::string& name : known) {
    const size_t distance = EditDistance(typed, name);
    if (distance < best_distance && distance < std::max(typed.size(), name.size())) {
      best_distance = distance;
      best = name;
    }
  }
  return best;
}

std::string DidYouMean(std::string_view typed, std::span<const std::string> known) {
  const std::string nearest = NearestName(typed, known);
  return nearest.empty() ? "" : "; did you mean '" + nearest + "'?";
}

}  // namespace preon
