// A list of passes over one model, step by step (config/listed_passes.h).
#pragma once

#include <string>
#include <vector>

#include "base/context.h"
#include "config/builtins.h"
#include "config/listed_passes.h"
#include "ir/graph.h"
#include "passes/pass.h"

namespace preon {

/// Float passes of the registry, alone. @param env  without its evaluator
std::vector<PassRecord> RunFloatPassesByName(Model& model, const std::set<std::string>& names, PassEnv env,
                                             const Builtins& builtins, const RunContext& context);

struct ListedEffects {
  std::vector<std::pair<std::string, bool>> steps;  ///< name in the list, and whether it changed the model
  std::vector<std::string> warnings;
};

/// The steps in their order. Errors: kBadConfig, kNotYetSupported; that of the first pass that fails.
Result<ListedEffects> RunPassList(Model& model, const std::vector<ListedStep>& steps, const Builtins& builtins,
                                  const RunContext& context);

}  // namespace preon
