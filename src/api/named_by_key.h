// NameKeys: messages of a run name what the user has set.
#pragma once

#include <string>
#include <utility>
#include <variant>

#include "base/status.h"
#include "config/ignored_options.h"

namespace preon {

/// Warnings of a verb's result that begin with an option begin with the key that stood for it (NamedByKey).
template <typename T>
void NameKeys(T& answered, const SettingOrigins& origins) {
  if constexpr (requires { answered.warnings; }) {
    for (std::string& warning : answered.warnings) warning = NamedByKey(std::move(warning), origins);
  }
}
template <typename... T>
void NameKeys(std::variant<T...>& answered, const SettingOrigins& origins) {
  std::visit([&](auto& one) { NameKeys(one, origins); }, answered);
}

/// The same for what a verb returns, and for its error.
template <typename T>
Result<T> WithKeyNames(Result<T> result, const SettingOrigins& origins) {
  if (!result.ok()) return NamedByKey(std::move(result).status(), origins);
  NameKeys(*result, origins);
  return result;
}

}  // namespace preon
