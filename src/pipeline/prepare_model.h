// Preparation: float model -> the same model in the shape that the target executes in integers, and the plan for it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/tensor_spec.h"
#include "ir/graph.h"
#include "pipeline/job.h"
#include "quantize/plan/float_reason.h"
#include "quantize/plan/quant_plan.h"

namespace preon {

/// The first batch and what the model as loaded made of it: what the rewritten model has to make of it, too.
struct FirstRun {
  Batch batch;
  /// None where nothing was rewritten: then there is nothing to check. Those of a float16 model after its conversion:
  /// its own roundings would hide what the rewrites do.
  std::optional<std::vector<NamedTensor>> outputs;
};

struct PreparedModel {
  /// Rewritten; same path, fingerprint, inputs, outputs and values as the source, whose weights are freed. Of a float16
  /// source the inputs and outputs may have become float32.
  Model model;
  QuantPlan plan;
  std::map<std::string, FloatReason> left_float;  ///< PlanOptions::left_float of the plan
  std::vector<std::string> warnings;
  std::vector<TensorSpec> inputs;
  bool verifies_each_pass = false;  ///< each rewrite was compared with the source, and those of the result are, too
  bool was_float16 = false;         ///< the source's tensors are float16 where the model's are float32
  int64_t source_size_bytes = 0;
  FirstRun first_run;
};

/// Loads, raises the opset and runs the passes. Nothing has compared the result with the
/// source yet: that takes a run, and calibration's first one will do (CheckRewrites).
/// Errors: those of loading, of the data, kOpsetConversion, and those of Target::Plan.
Result<PreparedModel> PrepareModel(const std::string& path, Job& job);

/// Errors: kPassFailed when `outputs`, the rewritten model's for the first batch, differ from the source's.
Status CheckRewrites(const PreparedModel& prepared, const std::vector<NamedTensor>& outputs);
/// The same with a run of its own.
Status CheckRewrites(const PreparedModel& prepared, Job& job);
/// Errors: kPassFailed where the outputs of both models differ by more than rounding; those of a run.
Status CheckSameResults(const Model& before, const Model& after, const Batch& batch, const RunContext& context);

/// Prepares again after CheckRewrites failed for `reason`: every single rewrite is checked, those that change the
/// outputs are taken back, and a warning tells.
Result<PreparedModel> PrepareVerifyingEachPass(const std::string& path, Job& job, const Status& reason);

}  // namespace preon
