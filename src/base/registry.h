// Registry<T>: named things a user can choose, in the order they were added. Filled only by config/builtins.cc.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/spelling.h"
#include "base/status.h"

namespace preon {

/// T has `std::string_view name() const`, `std::vector<std::string_view> aliases() const`, `std::string_view summary()
/// const`.
template <typename T>
class Registry {
 public:
  explicit Registry(std::string kind) : kind_(std::move(kind)) {}

  /// A second entry of the same name or alias is a bug.
  void Add(std::unique_ptr<T> entry) {
    PREON_CHECK(Lookup(entry->name()) == nullptr);
    for (std::string_view alias : entry->aliases()) PREON_CHECK(Lookup(alias) == nullptr);
    entries_.push_back(std::move(entry));
  }

  /// By name or alias, case ignored. Errors: kUnknownOption with the nearest name.
  Result<const T*> Find(std::string_view name) const {
    if (const T* entry = Lookup(name)) return entry;
    std::vector<std::string> names;
    for (const auto& entry : entries_) names.emplace_back(entry->name());
    return Error(ErrorId::kUnknownOption, "unknown ", kind_, " '", name, "'", DidYouMean(name, names),
                 " (known: ", JoinNames(names), ")");
  }

  const std::vector<std::unique_ptr<T>>& entries() const { return entries_; }

 private:
  const T* Lookup(std::string_view name) const {
    const std::string wanted = ToLower(name);
    for (const auto& entry : entries_) {
      if (ToLower(entry->name()) == wanted) return entry.get();
      for (std::string_view alias : entry->aliases()) {
        if (ToLower(alias) == wanted) return entry.get();
      }
    }
    return nullptr;
  }

  std::string kind_;
  std::vector<std::unique_ptr<T>> entries_;
};

}  // namespace preon
