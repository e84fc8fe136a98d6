// A trial: a plan with the ranges of one method, as a quantized model that runs on some samples.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "base/context.h"
#include "data/run_plan.h"
#include "pipeline/plan_inputs.h"
#include "pipeline/prepare_model.h"
#include "pipeline/trial_samples.h"
#include "ranges/range_method.h"
#include "runtime/session.h"
#include "search/trial_error.h"

namespace preon {

enum class TrialSize {
  kAll,   ///< all samples
  kSome,  ///< some 8 runs: to see what one change does
};

/// Which of the samples' runs, and how.
struct TrialRuns {
  size_t most = 8;
  Optimization optimization = Optimization::kAll;
};

/// Is handed what float and the quantized model give for one run. An error ends the trial.
using TrialVisitor = std::function<Status(const std::vector<NamedTensor>& float_outputs,
                                          const std::vector<NamedTensor>& quantized_outputs)>;

class Trials {
 public:
  /// What it is given outlives it.
  Trials(TrialSamples& samples, MemoryUse memory, const RunContext& context)
      : samples_(samples), memory_(memory), context_(context) {}

  const TrialSamples& samples() const { return samples_; }
  const RunContext& context() const { return context_; }
  MemoryUse memory() const { return memory_; }

  /// So many more trials will come: for the progress of stage "try", which counts samples. Without it, one more comes.
  void Expect(int64_t trials) { expected_ = done_ + trials * SampleCount(); }
  /// Not as many as were expected.
  void ExpectNoMore();

  /// The context of a run over all samples, whose progress counts towards the stage's.
  RunContext BeginRun();

  /// Of a model that hands on a state (eval/state_loop.h), puts the outputs in closed loop into the samples: a method's
  /// error gets into the state and comes back, which runs from the float model's states do not show. Errors: the
  /// runtime's.
  Status CloseLoop(const Model& model);

  /// Of the quantized model on the samples; in closed loop, and then on all, where the model hands on a state. None
  /// where no output can be compared: the shape of each depends on the data and always differs. Errors: those of
  /// WritePlan and the runtime.
  /// @param best  null, or of another model on all samples: this one is compared with it run by run, behind 8, 16, 32 …
  /// runs, and ends where it is worse by more than 1 dB and three standard errors (a race, Maron and Moore 1993)
  Result<std::optional<TrialError>> Run(const Model& model, const QuantPlan& plan, const RangeMethod& method,
                                        const PlanInputs& inputs, TrialSize size = TrialSize::kAll,
                                        const TrialError* best = nullptr);

  /// The quantized model on some of the samples, one after the other: evenly spread; the first ones, in closed loop,
  /// where it hands on a state. Errors: those of the runtime and `visit`, kCancelled.
  Status Visit(const Model& quantized, const TrialRuns& which, const TrialVisitor& visit);

 private:
  int64_t SampleCount() const;

  TrialSamples& samples_;
  const MemoryUse memory_;
  const RunContext& context_;
  int64_t done_ = 0, expected_ = 0;  // samples
};

}  // namespace preon
