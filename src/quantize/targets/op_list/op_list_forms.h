// How constants are stored, so that the runtime computes what the plan says (docs/design/placement.md, "Weights that
// the runtime quantizes itself").
#pragma once

#include "quantize/plan/quant_plan.h"
#include "quantize/targets/op_list/op_list_rules.h"

namespace preon {

/// Codes that the node reads of an activation, by its own pair where it has one; null where it reads none, or blocks.
const IntFormat* CodesRead(const QuantPlan& plan, const Node& node, const std::string& tensor);

/// True where the runtime would quantize float weights or biases of a node that reads a pair behind the user's back.
bool NeedsGuard(const QuantPlan& plan, const Node& node);

}  // namespace preon
