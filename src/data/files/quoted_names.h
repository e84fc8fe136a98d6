// Lists of names in messages.
#pragma once

#include <functional>
#include <string>

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

}  // namespace preon
