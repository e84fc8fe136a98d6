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

/// By group, of the runs that codes are fitted to and of those that judge.
struct LayerData {
  std::vector<LayerSums> fitted, judging;
};

/// Runs the quantized model up to the layer. Errors: the runtime's.
Result<LayerData> CollectLayer(const Model& quantized, const CodedLayer& layer, const FloatLayer& float_layer,
                               const LayerTargets& targets, const LiveRuns& live, const RunContext& context);

}  // namespace preon
