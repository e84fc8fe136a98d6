// Which settings of a layout say nothing with the types at hand (spec options §11: "Ignored-W").
#pragma once

#include <vector>

#include "quantize/layout_rules.h"

namespace preon {

/// Target::IdleKeys of the targets that mark tensors by `rules`.
std::vector<IdleKey> IdleLayoutKeys(const PlanOptions& options, const LayoutRules& rules);

}  // namespace preon
