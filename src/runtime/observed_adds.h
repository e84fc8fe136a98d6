// Inside runtime/: Adds of the optimized graph that take over the observers beside them.
#pragma once

#include "ir/graph.h"

namespace preon {

/// Where a fused residual Add has to stand apart because the sum's parts are wanted, it and its observers would read
/// the same tensors again and again. One node does it in one pass:
///   Before: [Observe ->] Add [-> Observe]       After: ObserveAdd
///   Conditions: at least one of the observers; the Add alone reads what an input's observer passes on; both inputs
///   have the same shape: known from the graph, or because they are blocked (the runtime's optimizer puts Reshapes
///   round blocked Adds that might broadcast). Other Adds stay.
/// The sum goes over the output of a convolution without another reader, if an input is one.
void FuseObservedAdds(Graph& graph);

}  // namespace preon
