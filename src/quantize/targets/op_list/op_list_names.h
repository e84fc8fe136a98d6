// Operator types that op-list options name, against the rewritten model.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "quantize/plan/plan_options.h"
#include "quantize/targets/op_list/op_list_rules.h"

namespace preon {

/// Warns of types that are not there.
void WarnOfUnknownTypes(const Graph& graph, const std::vector<NamedTypes>& named, std::vector<std::string>* warnings);

/// Of QDQOpTypePerChannelSupportToAxis: an axis by operator type. Warns where no operator of the type has channels.
/// Errors: kBadConfig for an axis that a weight has not.
/// @param handlers  OpListRules::handlers
Status CheckChannelAxes(const Graph& graph, const std::map<std::string, int64_t>& axes, const OpHandlers& handlers,
                        std::vector<std::string>* warnings);

}  // namespace preon
