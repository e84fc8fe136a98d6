// Text that users type or files hold: numbers, counts, lists.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace preon {

/// The whole of `text` as a number; nullopt if it is anything else or does not fit T.
template <typename T>
std::optional<T> ParseNumber(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// "0.5" or "1/255"; nullopt if it is anything else or not finite.
std::optional<double> ParseRatio(std::string_view text);

/// "500", "10k", "2M", "1.5G" (powers of 1000). Errors: kBadOptionValue.
Result<int64_t> ParseCount(std::string_view text);

/// The words with the separator between them.
std::string Join(std::span<const std::string> words, std::string_view separator);

/// The parts between separators; one empty part for an empty text.
std::vector<std::string> Split(std::string_view text, char separator);

/// Is the name one of `names`?
template <typename Names>
bool Contains(const Names& names, std::string_view name) {
  return std::ranges::find(names, name) != std::ranges::end(names);
}

/// The text as UTF-8, with control characters ("\\n", "\\x1b", "\\u202e") and bytes that are no UTF-8 ("\\xff") written
/// out: names come from files that anybody may have made, and must not steer the terminal or forge lines of a report.
std::string Printable(std::string_view text);

/// One word of a POSIX shell's command line: in single quotes.
std::string ShellQuoted(std::string_view text);
/// The same, without quotes where no character needs them.
std::string ShellWord(std::string_view text);

}  // namespace preon
