// Quark's lists of passes (ShapeShifterYaml, PreprocessYAML), as the keys of these passes.
#pragma once

#include <map>
#include <string>

#include "config/keys/key_spec.h"

namespace preon {

/// Sets the keys of a list (listed_passes.h). What a list does not name is off, as far as there is a key for it.
/// Errors: those of ReadPassList and of the keys.
Status SetPassList(Options& options, const KeyValue& value);

/// @param keys  GivenSettings::keys
bool IsPassListGiven(const std::map<std::string, std::string>& keys);

/// {"skip_fusion_patterns": [...]}: the simplifier's patterns as passes of ours that are left out.
Status SetSimplifierOptions(Options& options, const KeyValue& value);

}  // namespace preon
