// Lists of names in messages, numbers in options.
#pragma once

#include <charconv>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace preon {

/// "'a', 'b'" of the names of all items; cut after ten.
template <typename Items, typename Projection>
std::string QuotedNames(const Items& items, Projection name) {
  std::string list;
  int count = 0;
  for (const auto& item : items) {
    if (++count > 10) return list + ", …";
    list += (list.empty() ? "'" : ", '") + std::string(std::invoke(name, item)) + "'";
  }
  return list;
}

/// The whole of `text` as a number; nullopt if it is anything else.
template <typename T>
std::optional<T> ParseNumber(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

/// A count with an optional k, M or G behind it (thousands, …).
inline std::optional<int64_t> ParseCount(std::string_view text) {
  const size_t unit = text.empty() ? std::string_view::npos : std::string_view("kMG").find(text.back());
  if (unit == std::string_view::npos) return ParseNumber<int64_t>(text);
  int64_t factor = 1000;
  for (size_t step = 0; step < unit; ++step) factor *= 1000;
  const std::optional<int32_t> number = ParseNumber<int32_t>(text.substr(0, text.size() - 1));
  return number ? std::optional<int64_t>(*number * factor) : std::nullopt;
}

/// The parts between separators; one empty part for an empty text.
inline std::vector<std::string> Split(std::string_view text, char separator) {
  std::vector<std::string> parts(1);
  for (char c : text) {
    if (c == separator) parts.emplace_back();
    else parts.back() += c;
  }
  return parts;
}

}  // namespace preon
