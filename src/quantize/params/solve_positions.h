// Moves positions into the limits of an NPU's shifts (docs/design/npu.md).
#pragma once

#include "quantize/params/position_problem.h"
#include "quantize/params/position_table.h"
#include "quantize/plan/npu_options.h"

namespace preon {

/// Rounds of all rules over the nodes that they concern; from the second on, over those one of whose positions has
/// changed. They end when nothing changes, when positions come again (a cycle), or after PositionLimits::rounds.
/// The problem then has the moved positions. Cost: grows with the nodes and with the moves.
PositionTable SolvePositions(PositionProblem& problem, const PositionLimits& limits);

}  // namespace preon
