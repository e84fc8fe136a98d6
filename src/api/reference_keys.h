// Extra options by the reference's names: each stands for an option of ours, and says so where it has no effect here.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "api/options.h"
#include "base/status.h"

namespace preon {

struct ReferenceKey {
  std::string_view name;     ///< as the reference spells it; case does not matter
  std::string_view meaning;  ///< one line: value, option of ours, default
  /// Errors: kBadOptionValue, those of the option behind it; the caller puts the name in front.
  Status (*set)(Options& options, const std::string& value);
};

/// All keys but those of the methods, which the registry knows (RangeMethod::option_help).
std::span<const ReferenceKey> ReferenceKeys();

/// Does this version have the key, among its own or a method's?
bool HasReferenceKey(std::string_view name);

/// Sets what the key stands for. Lists are "a,b" or JSON, tables JSON. Errors: kUnknownOption with the nearest name,
/// kNotYetSupported for a key of the reference that this version has not, those of the key.
Status SetReferenceKey(Options& options, const std::string& name, const std::string& value);

}  // namespace preon
