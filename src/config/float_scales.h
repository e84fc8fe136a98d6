// UsePowerOf2Scale=false: float scales in place of powers of two.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "quantize/plan/plan_options.h"

namespace preon {

inline constexpr std::string_view kPowerOf2Key = "UsePowerOf2Scale";
/// Why the key changes nothing: a target that has no other scales has them all the same.
inline constexpr std::string_view kNoPowersAsked = "where no scale type is power-of-two";

/// Where the key is switched off, scales of activations, weights, layers and tensors that were to be powers of two
/// become float32. False: it is switched off, and there are none. @param keys  GivenSettings::keys
bool SettleFloatScales(const std::map<std::string, std::string>& keys, ScaleType& activations,
                       std::optional<ScaleType>& weights, TensorSettings& settings);

}  // namespace preon
