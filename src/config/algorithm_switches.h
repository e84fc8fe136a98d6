// Options that switch one algorithm off: --no-NAME, the same as --disable-algorithm NAME.
#pragma once

#include <string>
#include <vector>

namespace preon {

struct AlgorithmSwitch {
  std::string algorithm, option, help;
};

/// Of the algorithms that have one, in the order in which they act.
const std::vector<AlgorithmSwitch>& AlgorithmSwitches();

}  // namespace preon
