// SolveLayer: new codes and bias of one layer.
#pragma once

#include <vector>

#include "reconstruct/matched_layers.h"
#include "reconstruct/reconstruction_rule.h"

namespace preon {

struct LayerSolution {
  std::vector<Matrix> codes;       ///< by group, [inputs, outputs]; columns behind these are unused
  std::vector<double> bias;        ///< of all outputs, for these codes
  std::vector<double> bias_alone;  ///< for the codes as they are
  int64_t kept = 0;                ///< outputs whose new codes the judging samples confirm; the others keep theirs
};

/// @param data  of the layer, which is used up
/// @param rule  `reach`, `steps`, `damping`; where biases are not updated, coarse ones keep their codes
/// The same for any number of threads.
LayerSolution SolveLayer(const MatchedLayer& layer, LayerData data, const ReconstructionRule& rule,
                         const ParallelFor& parallel_for);

}  // namespace preon
