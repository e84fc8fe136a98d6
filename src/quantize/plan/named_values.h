// Settings whose values have names: to and from text, by one table of each.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/spelling.h"
#include "base/status.h"

namespace preon {

template <typename Value, size_t N>
using NamedValues = std::array<std::pair<Value, const char*>, N>;

/// Case ignored. Errors: kUnknownOption with the nearest name. @param kind  noun for the message
template <typename Value, size_t N>
Result<Value> ValueOfName(const NamedValues<Value, N>& values, std::string_view kind, std::string_view name) {
  std::vector<std::string> names;
  for (const auto& [value, known] : values) {
    if (ToLower(name) == known) return value;
    names.emplace_back(known);
  }
  return Error(ErrorId::kUnknownOption, "unknown ", kind, " '", name, "'", DidYouMean(name, names),
               " (known: ", JoinNames(names), ")");
}

/// Of a value that the table has.
template <typename Value, size_t N>
std::string_view NameOfValue(const NamedValues<Value, N>& values, Value value) {
  return std::ranges::find(values, value, &std::pair<Value, const char*>::first)->second;
}

}  // namespace preon
