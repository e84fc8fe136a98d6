// Evaluator: runs one node on constants. Declared here, implemented by runtime/, used by passes/ (constant folding).
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
};

}  // namespace preon
