#include "config/algorithm_switches.h"

#include "algorithms/algorithms.h"
#include "base/text.h"

namespace preon {

const std::vector<AlgorithmSwitch>& AlgorithmSwitches() {
  static const std::vector<AlgorithmSwitch> switches = [] {
    std::vector<AlgorithmSwitch> found;
    const AlgorithmRegistry all = MakeAlgorithms();
    for (const auto& algorithm : all.entries()) {
      const std::string name(algorithm->name());
      if (algorithm->has_switch())
        found.push_back({name, "no-" + name, StrCat("the same as --disable-algorithm ", name)});
    }
    return found;
  }();
  return switches;
}

}  // namespace preon
