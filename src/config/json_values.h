// What readers of JSON say of a value of another type.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "base/status.h"

namespace preon {

inline Status WrongType(const nlohmann::json& value, std::string_view wanted) {
  return Error(ErrorId::kBadConfig, "got ", value.type_name(), ", wanted ", wanted);
}

/// The number, where it is whole and fits; 2 to the power of 63 and more does not.
inline std::optional<int64_t> IntegerOf(const nlohmann::json& value) {
  if (!value.is_number_integer() || (value.is_number_unsigned() && value.get<uint64_t>() > INT64_MAX))
    return std::nullopt;
  return value.get<int64_t>();
}

}  // namespace preon
