// LayerData: sums of what a layer of the quantized model reads and of what its float weights lack there to float.
#pragma once

#include <vector>

#include "base/context.h"
#include "reconstruct/coded_layer.h"
#include "reconstruct/layer_rows.h"
#include "reconstruct/live_runs.h"
#include "solver/layer_sums.h"

namespace preon {

/// What the float model gives at a layer's places, of each run.
struct LayerTargets {
  std::vector<std::vector<Place>> places;
  std::vector<Shape> shapes;  ///< of the layer's output
  std::vector<Matrix> rows;   ///< [places, outputs of all groups]
};

/// Some rows of the runs that judge, of one group.
struct JudgingRows {
  Matrix inputs;   ///< [places, inputs]
  Matrix targets;  ///< [places, outputs], within the limits
};

struct LayerData {
  /// By group, of the runs that codes are fitted to and of those that judge. Each output `ways` times: [ways, outputs].
  std::vector<LayerSums> fitted;
  std::vector<JudgingSums> judging;
  size_t ways = 1;
  Range limits;                   ///< of what follows the layer
  std::vector<JudgingRows> rows;  ///< by group; empty: the sums judge
};

/// Runs the quantized model up to the layer. Errors: the runtime's.
Result<LayerData> CollectLayer(const Model& quantized, const CodedLayer& layer, const FloatLayer& float_layer,
                               const LayerTargets& targets, const LiveRuns& live, const RunContext& context);

}  // namespace preon
