// Inside runtime/: the block of the runtime's blocked layout, which depends on the processor.
#pragma once

#include <cstdint>

#include "base/context.h"
#include "base/status.h"
#include "ir/graph.h"
#include "runtime/session.h"

namespace preon {

/// Reorders a small tensor into the blocked layout: shows the block to whoever runs it.
Model ChannelBlockModel();

/// Channels that lie side by side in the NCHWc layout of this machine's convolutions (8 or 16), by a run of
/// ChannelBlockModel. Errors: those of Session::Run, kInternal when the answer makes no sense.
Result<int64_t> ChannelBlockOf(Session& session, const RunContext& context);

}  // namespace preon
