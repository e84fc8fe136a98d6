// Quark's auto_mixprecision: from its parameters and keys to PrecisionOptions.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "base/status.h"
#include "config/options.h"
#include "config/precision_options.h"

namespace preon {

/// Of algo_config: {"name": "auto_mixprecision", PARAMETER: VALUE, ...}. Errors: those of ReadPrecision.
Status AskForPrecision(AlgorithmOptions& options, const nlohmann::json& parameters);

/// What parameters and, over them, the keys of table AutoMixprecision say; none where neither is there.
/// @param distance  the calling program's, over theirs; empty: none
/// Errors: kUnknownOption with the nearest name, kBadOptionValue, kBadConfig; kMissingOption without a target.
Result<std::optional<PrecisionOptions>> ReadPrecision(const AlgorithmOptions& options, const OwnDistance& distance);

/// The keys of symmetry, where they are given, hold for layers that mixed precision changes, too, as in Quark: its
/// preset S16S16_MIXED_S8S8 says symmetric of the layers, and means ActivationSymmetric=false.
void SettleSymmetry(std::optional<bool> activation, std::optional<bool> weight, PrecisionOptions* precision);

}  // namespace preon
