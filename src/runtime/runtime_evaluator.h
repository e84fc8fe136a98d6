// The runtime as an Evaluator: runs one node on constants.
#pragma once

#include "base/context.h"
#include "ir/evaluator.h"

namespace preon {

/// Errors of Evaluate: kRuntimeLoad, kRuntimeRun, kModelTypeUnsupported (an output that is no tensor), kCancelled.
class RuntimeEvaluator final : public Evaluator {
 public:
  /// `context` outlives it.
  explicit RuntimeEvaluator(const RunContext& context) : context_(context) {}
  Result<std::vector<Tensor>> Evaluate(const Model& model, const Node& node,
                                       const std::vector<NamedTensor>& inputs) override;
  /// Only with RunContext::custom_ops: what the runtime has itself, ir/schemas knows as far as it is needed.
  Result<std::vector<ValueInfo>> InferOutputs(const Model& model, const Node& node) override;

 private:
  const RunContext& context_;
};

}  // namespace preon
