// Lock-step: a float model and its quantized form run side by side on the same samples, tensor by tensor.
#pragma once

#include <map>
#include <string>

#include "pipeline/plan_inputs.h"
#include "pipeline/prepare_model.h"
#include "pipeline/trial_samples.h"
#include "ranges/range_method.h"

namespace preon {

/// Of one tensor over all samples looked at: sums of squares. Where all readers see its values through a function such
/// as x·Sigmoid(x), the first three are those behind it: what its codes cut off where it is flat does no harm.
struct TensorError {
  double signal = 0;     ///< of the float model's values
  double noise = 0;      ///< of the quantized model's difference from them: its own error and what it inherits
  double rounding = 0;   ///< of what the tensor's own codes make of the float model's values; 0 without codes
  double inherited = 0;  ///< noise without rounding, in front of the function
};

struct LockStep {
  std::map<std::string, TensorError> tensors;  ///< float tensors of the float model that both models have
  /// By integer node: sum of squares of what its rounded weight changes at its output where its input is float.
  std::map<std::string, double> weights;
  /// By graph output, and by tensor that enters the float tail in front of it: sum of squares of what the noise of this
  /// tensor alone changes at the output.
  std::map<std::string, std::map<std::string, double>> tails;
  std::map<std::string, Shape> shapes;  ///< of the tensors in the last run
};

/// The error of a node's output before its own rounding: that of the Relu or Clip behind it where the codes have
/// absorbed it. Null where neither was measured.
const TensorError* ErrorBehind(const Graph& graph, const LockStep& measured, std::string tensor);

/// Runs up to four of the samples through both models, fewer of large ones. The quantized one is written without
/// algorithms, which give channels other scales: then no tensor could be compared. Of each tensor at most 16384
/// elements, evenly spread, stand for all. Errors: those of WritePlan and the runtime, kCancelled.
Result<LockStep> RunLockStep(const PlannedModel& prepared, const RangeMethod& method, const PlanInputs& inputs,
                             const TrialSamples& samples, const RunContext& context);

}  // namespace preon
