// Positions and shifts of an NPU's nodes, in JSON and in text.
#pragma once

#include "quantize/params/position_table.h"
#include "report/json_object.h"
#include "report/text_writer.h"

namespace preon {

/// All nodes, before and after positions were moved; nothing where a target has no positions.
void AddPositionsJson(JsonObject& json, const PositionTable& table);
/// How many were moved, and of these and of nodes outside their limits the positions and shifts.
void AddPositions(TextWriter& out, const PositionTable& table);

/// What the DPU's operators cost, one line each.
void AddDpuCosts(TextWriter& out, const std::vector<DpuCost>& costs);

}  // namespace preon
