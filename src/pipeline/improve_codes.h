// ImproveCodes: the algorithms that change codes and biases of a written model (AlgorithmPhase::kWritten).
#pragma once

#include <string>
#include <vector>

#include "algorithms/algorithm.h"
#include "base/context.h"
#include "pipeline/samples.h"
#include "quantize/plan/quant_plan.h"
#include "reconstruct/reconstruct.h"
#include "report/results/results.h"

namespace preon {

/// Outputs that are no nearer to float than that are useless: more is tried then.
inline constexpr double kHopelessDb = 10;

/// Of whom codes are improved, and for whom.
struct CodesToImprove {
  FloatReference reference;
  const QuantPlan& plan;
  int64_t calibrated = 0;  ///< samples of the calibration, whose cost limits those of algorithms
};

/// Will one of these algorithms fit codes to samples? Not where it has too few samples, or would take too long.
Result<bool> WillImproveCodes(const CodesToImprove& of, const std::vector<const Algorithm*>& algorithms,
                              const Samples& samples);

/// One after the other, each on the samples that it wants, or on as many as its limit of cost allows.
/// @param warnings  gets one for layers that an algorithm could not treat
/// Errors: kMissingOption without samples, where an algorithm has no limit of cost; those of Reconstruct and of the
/// source.
Result<std::vector<ImprovedCodes>> ImproveCodes(Model& quantized, const CodesToImprove& of,
                                                const std::vector<const Algorithm*>& algorithms, const Samples& samples,
                                                const RunContext& context, std::vector<std::string>& warnings);

}  // namespace preon
