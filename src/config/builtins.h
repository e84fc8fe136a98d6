// Everything a user can choose by name, as explicit lists.
#pragma once

#include <string>
#include <string_view>

#include "passes/pass.h"
#include "quantize/plan/target.h"
#include "quantize/qdq_passes/qdq_pass.h"
#include "ranges/range_method.h"

namespace preon {

struct Builtins {
  RangeMethodRegistry methods{"method"};
  PassRegistry passes{"pass"};
  QdqPassRegistry qdq_passes{"pass"};
  TargetRegistry targets{"target"};
};

/// The registries in the order in which help lists them and passes run. The runtime learns the operators of ops/.
Builtins MakeBuiltins();

/// The name of a pass of either kind, by name or alias. Errors: kUnknownOption with the nearest name.
Result<std::string> PassName(const Builtins& builtins, std::string_view given);

}  // namespace preon
