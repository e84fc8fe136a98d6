// Which layers mixed precision may change.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "config/precision_options.h"
#include "ir/graph.h"
#include "quantize/plan/quant_plan.h"
#include "report/results/precision_result.h"

namespace preon {

/// Layers that the plan quantizes, of the wanted operator types and names; with a file of blocks those of each block
/// together, all others as the block "__ungrouped__". In the order of the graph.
/// Errors: kNameNotInModel for a name of `include` or `exclude`; kBadConfig, kFileNotFound, kIoRead for the file.
Result<std::vector<PrecisionCandidate>> FindPrecisionCandidates(const Graph& graph, const QuantPlan& plan,
                                                                const PrecisionCandidates& wanted);

}  // namespace preon
