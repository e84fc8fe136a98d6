// Everything a user can choose by name, as explicit lists.
#pragma once

#include "algorithms/algorithm.h"
#include "passes/pass.h"
#include "quantize/plan/target.h"
#include "ranges/range_method.h"

namespace preon {

struct Builtins {
  RangeMethodRegistry methods{"method"};
  PassRegistry passes{"pass"};
  TargetRegistry targets{"target"};
  AlgorithmRegistry algorithms{"algorithm"};
};

/// The registries in the order in which help lists them and passes run. The runtime learns the operators of ops/.
Builtins MakeBuiltins();

}  // namespace preon
