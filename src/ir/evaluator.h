// Evaluator: asks the runtime about one node. Declared here, implemented by runtime/, used by passes/.
#pragma once

#include <vector>

#include "base/status.h"
#include "base/tensor.h"
#include "ir/graph.h"

namespace preon {

class Evaluator {
 public:
  virtual ~Evaluator() = default;
  /// Runs `node` alone.
  ///
  /// @param context  the model the node belongs to: opsets and functions; its graph is not run.
  /// @param inputs   one tensor per distinct tensor that the node reads.
  /// @return         one tensor per entry of node.outputs(), an empty Tensor where that entry is "".
  /// Errors: what the runtime says when it can't load or run the node.
  virtual Result<std::vector<Tensor>> Evaluate(const Model& context, const Node& node,
                                               const std::vector<NamedTensor>& inputs) = 0;
  /// What is known of the outputs of an operator that ONNX does not know, before it runs.
  ///
  /// @param context  the model the node belongs to, with types of all that the node reads.
  /// @return         one entry per entry of node.outputs(): of type kUndefined where nothing is known, without a shape
  ///                 where a run alone gives it.
  /// Errors: what the runtime says when it can't load the node.
  virtual Result<std::vector<ValueInfo>> InferOutputs(const Model& context, const Node& node) = 0;
};

}  // namespace preon
