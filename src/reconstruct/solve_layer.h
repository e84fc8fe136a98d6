// SolveLayer: new codes and bias of one layer.
#pragma once

#include <vector>

#include "reconstruct/matched_layers.h"
#include "reconstruct/reconstruction_rule.h"

namespace preon {

struct LayerSolution {
  std::vector<Matrix> codes;       ///< by group, [inputs, outputs and what does not matter]
  std::vector<double> bias;        ///< of all outputs, for these codes
  std::vector<double> bias_alone;  ///< for the codes as they are
  int64_t kept = 0;                ///< outputs whose new codes the judging samples confirm; the others keep theirs
};

LayerSolution SolveLayer(const MatchedLayer& layer, LayerData data, const ReconstructionRule& rule,
                         const ParallelFor& parallel_for);

}  // namespace preon
