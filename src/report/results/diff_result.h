// What `preon diff` answers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "diff/model_diff.h"
#include "report/results/results.h"

namespace preon {

struct DiffResult {
  RunFacts facts;
  std::string a, b;
  ModelDiff diff;
  std::optional<Comparison> outputs;  ///< of b against a, where there are samples
  bool random_data = false;
  std::vector<std::string> warnings;
};

}  // namespace preon
