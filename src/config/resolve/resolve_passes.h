// Passes by their names in the registries.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "config/builtins.h"
#include "config/options.h"

namespace preon {

/// Is it the key of a stage of Quark's preprocessing?
bool IsStage(std::string_view key);
/// The passes that stand for stages of Quark's preprocessing which are off.
std::set<std::string> PassesOfStagesOff(const Preprocessing& stages, const PassRegistry& passes);

/// Errors: kBadOptionValue for an opset that doesn't exist, kConflictingOptions for parts of a float16 model in float32
/// where all of it is to be.
Status CheckPreparation(int64_t opset, const std::vector<Float16Part>& float16_parts, std::optional<Float16> float16);

/// Those that the user has set, and `passes`, which other options ask for. Errors: kUnknownOption with the nearest
/// name, kConflictingOptions for one that is both.
Result<PassSelection> ResolvePasses(const PassSelection& given, PassSelection passes, const Builtins& builtins);

}  // namespace preon
