// What readers of JSON say of a value of another type.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "base/status.h"

namespace preon {

inline Status WrongType(const nlohmann::json& value, std::string_view wanted) {
  return Error(ErrorId::kBadConfig, "got ", value.type_name(), ", wanted ", wanted);
}

}  // namespace preon
