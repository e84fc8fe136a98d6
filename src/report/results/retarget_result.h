// What `preon retarget` answers.
#pragma once

#include <string>
#include <vector>

#include "report/results/results.h"

namespace preon {

struct RetargetResult {
  RunFacts facts;
  std::string model, output;
  std::vector<std::string> changes;  ///< passes that changed the model, and "opset"
  bool lossless = false;             ///< the same values, bit for bit, apart from how the runtime's kernels round
  RewriteFigures figures;
  std::vector<std::string> warnings;
};

}  // namespace preon
