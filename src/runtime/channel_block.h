// Inside runtime/: the block of the runtime's blocked layout, which depends on the processor.
#pragma once

#include <cstdint>

#include "base/context.h"
#include "base/status.h"

namespace preon {

/// Channels that lie side by side in the NCHWc layout of this machine's convolutions (8 or 16): asked of the runtime
/// by reordering a small tensor. Errors: kRuntimeLoad, kRuntimeRun, kInternal when the answer makes no sense.
Result<int64_t> ChannelBlock(const RunContext& context);

}  // namespace preon
