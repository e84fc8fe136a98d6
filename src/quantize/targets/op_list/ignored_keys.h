// Which settings of a layout say nothing with the types at hand (spec options §11: "Ignored-W").
#pragma once

#include <vector>

#include "quantize/plan/target.h"
#include "quantize/targets/op_list/op_list_rules.h"

namespace preon {

/// Target::IgnoredKeys of the targets that mark tensors by `rules`.
std::vector<IgnoredKey> IgnoredOpListKeys(const PlanOptions& options, const OpListRules& rules);

}  // namespace preon
