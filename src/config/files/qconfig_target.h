// The target that a QConfig stands for.
#pragma once

#include "config/options.h"

namespace preon {

/// Quark's quantizer for CNNs on NPUs, where all scales are powers of two, or its quantizer for everything else. No
/// effect without a QConfig, or where a target is named. To be called when all options are known.
void SettleTargetOfQConfig(Options& options);

}  // namespace preon
