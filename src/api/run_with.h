// RunWith: the same run with other options and samples.
#pragma once

#include <utility>

#include "pipeline/run_inputs.h"

namespace preon {

/// What `verb` answers, with the clock of `run`. Errors: those of the options and of the verb.
template <typename Body>
auto RunWith(const Options& options, const Samples& samples, RunInputs& run,
             const Body& verb) -> decltype(verb(std::declval<RunInputs&>())) {
  PREON_ASSIGN_OR_RETURN(Choices choices, Resolve(options, run.builtins));
  RunInputs again{options, run.builtins, std::move(run.clock), run.context, std::move(choices), samples};
  auto result = verb(again);
  run.clock = std::move(again.clock);
  return result;
}

}  // namespace preon
