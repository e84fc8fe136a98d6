// Preparation: float model -> the same model in the shape that the target executes in integers, and the plan for it.
#pragma once

#include <string>
#include <vector>

#include "api/job.h"
#include "ir/graph.h"
#include "quantize/plan.h"

namespace preon {

struct PreparedModel {
  Model source;  ///< as loaded
  Model model;   ///< rewritten; same inputs, outputs and values
  QuantPlan plan;
  std::vector<std::string> warnings;
};

/// Loads, raises the opset, runs the passes and the target's own rewrites, and checks the result by running it against
/// the original on the first sample. Rewrites that change the outputs are found, taken back and named in a warning.
/// Errors: those of loading, of the data, kOpsetConversion, kPassFailed, and those of Target::Plan.
Result<PreparedModel> PrepareModel(const std::string& path, Job& job);

}  // namespace preon
