// Operator types that op-list options name, against the rewritten model.
#pragma once

#include <string>
#include <vector>

#include "quantize/plan/plan_options.h"
#include "quantize/targets/op_list/op_list_rules.h"

namespace preon {

/// Warns of types that are not there. Errors: kBadConfig for an axis of QDQOpTypePerChannelSupportToAxis that a weight
/// has not.
Status CheckOperatorTypes(const Graph& graph, const OpListOptions& options, const OpListRules& rules,
                          std::vector<std::string>* warnings);

}  // namespace preon
