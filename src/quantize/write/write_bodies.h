// Constants in bodies of Loop and Scan become codes (EnableSubgraph; docs/design/subgraphs.md).
#pragma once

#include <functional>
#include <vector>

#include "base/status.h"
#include "ir/graph.h"
#include "quantize/plan/quant_plan.h"

namespace preon {

using WriteBody = std::function<Result<Model>(const Model& body, const QuantPlan& plan)>;

/// Writes the plans of the bodies into `model`, which nothing else has been written to yet. Errors: those of
/// `write_one`.
Status WriteBodies(Model& model, const std::vector<QuantPlan>& bodies, const WriteBody& write_one);

}  // namespace preon
