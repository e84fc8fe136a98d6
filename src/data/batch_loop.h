// ForEachBatch: work over a stream of batches, several of them at once, whose results come in order.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>

#include "data/data_source.h"

namespace preon {

/// A look at the state between batches.
struct Checkpoint {
  double seconds = 0;            ///< at least so long after the one before, or the start
  std::function<Status()> save;  ///< no batch is under way meanwhile; empty: never
};

struct BatchLoopOptions {
  int at_once = 1;  ///< batches under way at the same time, each on a thread of its own
  int64_t max_samples = std::numeric_limits<int64_t>::max();  ///< no further batch is begun after so many; at least one
  Checkpoint checkpoint;
  /// Asked before each batch. An error ends the loop as the end of the stream would: what is under way is finished. So
  /// does a source that was cancelled. Empty: no reason to stop.
  std::function<Status()> go_on;
};

/// What is left to do with a batch when it is its turn: one at a time, in the order of the stream.
using InTurn = std::function<Status()>;

/// Calls `work` with every batch of `source`. The first batch has the machine to itself: what is wrong with all of them
/// shows there, and who keeps memory for later runs learns how much.
/// Returns the first failure, in the order of the stream, of the source, of `work`, of what it returned or of the
/// checkpoint; nothing is begun after that, and nothing later is finished. Without one, what stopped the loop, after a
/// last checkpoint. An exception of `work` goes to the caller.
Status ForEachBatch(DataSource& source, const BatchLoopOptions& options,
                    const std::function<Result<InTurn>(const Batch&)>& work);

}  // namespace preon
