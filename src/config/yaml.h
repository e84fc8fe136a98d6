// YAML configuration files, read as the JSON they stand for.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/status.h"

namespace preon {

/// By its ending: .yaml, .yml.
bool IsYaml(const std::string& path);

/// Plain scalars are null, true, false or numbers where they are spelled so (YAML's core schema), quoted ones texts.
/// Errors: kBadConfig with line and column; keys that are no scalars or come twice.
Result<nlohmann::json> ParseYaml(const std::string& text, const std::string& name);
/// The same with keys in the order of the file.
Result<nlohmann::ordered_json> ParseOrderedYaml(const std::string& text, const std::string& name);

}  // namespace preon
