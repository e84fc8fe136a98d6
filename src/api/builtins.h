// Everything a user can choose by name, as explicit lists.
#pragma once

#include "formats/number_format.h"
#include "passes/pass.h"
#include "quantize/plan.h"
#include "ranges/range_method.h"

namespace preon {

struct Builtins {
  RangeMethodRegistry methods{"method"};
  NumberFormatRegistry formats{"type"};
  PassRegistry passes{"pass"};
  TargetRegistry targets{"target"};
};

/// The registries in the order in which help lists them and passes run.
Builtins MakeBuiltins();

}  // namespace preon
