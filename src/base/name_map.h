// NameMap: a hash map by name that takes any string as the key of a search.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace preon {

struct NameHash {
  using is_transparent = void;
  size_t operator()(std::string_view name) const { return std::hash<std::string_view>()(name); }
};

/// For searching only: its order is not the same everywhere.
template <typename Value>
using NameMap = std::unordered_map<std::string, Value, NameHash, std::equal_to<>>;

}  // namespace preon
