// Which op-list options are ignored with the types at hand.
#pragma once

#include <vector>

#include "quantize/plan/target.h"
#include "quantize/targets/op_list/op_list_rules.h"

namespace preon {

/// Target::IgnoredKeys of the targets that mark tensors by `rules`.
std::vector<IgnoredKey> IgnoredOpListKeys(const PlanOptions& options, const OpListRules& rules);

}  // namespace preon
