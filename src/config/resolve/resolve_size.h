// Which fewer bits layers may get, so that the file is as small as --size asks for.
#pragma once

#include <optional>

#include "config/options.h"
#include "quantize/plan/target.h"

namespace preon {

/// Weights of 4 bits, without names of nodes. None where no limit was given, weights have other than 8 bits, another
/// tool's numbers are wanted, the target has no such weights, or nothing has shown yet that 8 bits are too many.
/// @param target  that was asked for; @param plan  of the run
std::optional<LayerOverride> FewerBitsForSize(const SizeOptions& size, const std::optional<std::string>& target,
                                              const PlanOptions& plan, const TargetRegistry& targets);

}  // namespace preon
