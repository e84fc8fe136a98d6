// The fields of a QConfig, from which the reader, help and pages come.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string_view>

#include "base/status.h"

namespace preon {

struct ConfigField {
  std::string_view name;  ///< "QConfig.exclude"
  std::string_view type;
  std::string_view fallback;
  std::string_view meaning;
};
std::span<const ConfigField> QConfigFields();

/// Has the object only fields of `of` (QConfig, QLayerConfig, QTensorConfig)? Errors: kBadConfig with the nearest
/// field.
Status CheckFields(const nlohmann::json& object, std::string_view of);

}  // namespace preon
