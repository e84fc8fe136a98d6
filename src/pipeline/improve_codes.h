// ImproveCodes: the algorithms that change codes and biases of a written model (AlgorithmPhase::kWritten).
#pragma once

#include <string>
#include <vector>

#include "algorithms/algorithm.h"
#include "base/context.h"
#include "pipeline/samples.h"
#include "reconstruct/reconstruct.h"
#include "report/results.h"

namespace preon {

/// One after the other, each on the samples that it wants.
/// @param warnings  gets one for layers that an algorithm could not treat
/// Errors: kMissingOption without samples, those of Reconstruct and of the source.
Result<std::vector<ImprovedCodes>> ImproveCodes(Model& quantized, const FloatReference& reference,
                                                const std::vector<const Algorithm*>& algorithms, const Samples& samples,
                                                const RunContext& context, std::vector<std::string>& warnings);

}  // namespace preon
