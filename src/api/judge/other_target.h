// The same run for another target.
#pragma once

#include <utility>

#include "config/options.h"
#include "quantize/plan/target.h"

namespace preon {

/// For one of Target::InsteadOfIt, which finds no ranges: where statistics come from and how long the search for ranges
/// takes have no meaning for it.
inline Options WithTarget(const OtherTarget& other, Options options) {
  options.target = other.name;
  if (!options.types.weight) options.types.weight = other.weight;
  options.calib.clear();
  options.ranges.effort = Effort::kDefault;
  options.budget.reset();
  return options;
}

}  // namespace preon
