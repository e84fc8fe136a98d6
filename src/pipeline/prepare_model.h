// Preparation: float model -> the same model in the shape that the target executes in integers, and the plan for it.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/algorithm.h"
#include "base/tensor_spec.h"
#include "config/options.h"
#include "ir/graph.h"
#include "passes/pass.h"
#include "pipeline/samples.h"
#include "quantize/plan/float_fallback.h"
#include "quantize/plan/float_reason.h"
#include "quantize/plan/quant_plan.h"
#include "quantize/plan/target.h"

namespace preon {

/// The first batch and what the model as loaded made of it: what the rewritten model has to make of it, too.
struct FirstRun {
  Batch batch;
  /// None where nothing was rewritten: then there is nothing to check. Those of a float16 model after its conversion:
  /// its own roundings would hide what the rewrites do.
  std::optional<std::vector<NamedTensor>> outputs;
};

/// Does PlannedModel::rewritten_by tell of something that was learned from samples, or would have been?
inline bool HasLearned(std::string_view rewritten_by) { return rewritten_by.find('@') != std::string_view::npos; }

/// A model in the shape that the target executes in integers, and the plan for it.
struct PlannedModel {
  /// Rewritten; same path, fingerprint, inputs, outputs and values as the source, whose weights are freed. Of a float16
  /// source the inputs and outputs may have become float32.
  Model model;
  QuantPlan plan;
  FloatNodes left_float;  ///< PlanOptions::left_float of the plan
  /// Algorithms that have rewritten the float model, with their options as they were given, and a hash of what they
  /// have learned from samples; "" = none. Statistics of the model are of no use to one that others have rewritten.
  std::string rewritten_by;
};

struct PreparedModel : PlannedModel {
  std::vector<std::string> warnings;
  std::vector<TensorSpec> inputs;
  bool verifies_each_pass = false;  ///< each rewrite was compared with the source, and those of the result are, too
  std::optional<Float16> float16;   ///< what became of the source's float16 tensors, which are float32 in the model
  int64_t source_size_bytes = 0;
  std::vector<std::string> external_files;  ///< of the source; never to be written to
  FirstRun first_run;
};

/// What preparation depends on.
struct PreparationInputs {
  const PrepareOptions& options;
  const DataOptions& data;
  const CalibrationOptions& calibration;
  const PassRegistry& registry;
  const PassSelection& passes;
  const Target& target;
  const std::vector<const Algorithm*>& algorithms;  ///< those of phase kFloatModel act here
  std::string rewritten_by;                         ///< PlannedModel::rewritten_by, without the hash
  PlanOptions& plan;  ///< names of nodes in it are resolved against each model that is prepared
};

/// Makes a PreparedModel from a file. What it is given, and what that refers to, outlives it.
class ModelPreparation {
 public:
  ModelPreparation(const PreparationInputs& inputs, const Samples& samples, const RunContext& context)
      : inputs_(inputs), samples_(samples), context_(context) {}

  /// Loads, raises the opset, runs the passes. Nothing has compared the result with the source yet: that takes a run,
  /// and calibration's first one will do (CheckRewrites).
  /// Errors: those of loading, of the data, kOpsetConversion, and those of Target::Plan.
  Result<PreparedModel> Prepare(const std::string& path) const { return Prepare(path, nullptr); }
  /// Prepares again after CheckRewrites failed for `reason`: every single rewrite is checked, those that change the
  /// outputs are undone, and a warning says so.
  Result<PreparedModel> PrepareVerifyingEachPass(const std::string& path, const Status& reason) const {
    return Prepare(path, &reason);
  }

 private:
  using Verify = std::function<Status(const Model& before, const Model& after)>;

  Result<PreparedModel> Prepare(const std::string& path, const Status* differs) const;
  Result<Model> Load(const std::string& path, PreparedModel& prepared) const;
  Result<std::vector<TensorSpec>> InputsOf(const Model& source) const;
  Status CheckSamples(const Model& source, PreparedModel& prepared) const;
  Result<std::optional<Float16>> ComputeInFloat32(Model& model, std::vector<std::string>& warnings) const;
  Result<std::vector<NamedTensor>> RunSource(const Model& source, const Batch& batch) const;
  Status RaiseOpset(PreparedModel& prepared, const Verify& verify) const;
  Status RunAlgorithms(PreparedModel& prepared, const Verify& verify) const;
  Result<PreparedModel> Rewrite(Model source, const std::vector<TensorSpec>& inputs, const Verify& verify) const;

  const PreparationInputs inputs_;
  const Samples& samples_;
  const RunContext& context_;
};

/// Errors: kPassFailed when `outputs`, the rewritten model's for the first batch, differ from the source's.
Status CheckRewrites(const FirstRun& first_run, const std::vector<NamedTensor>& outputs);
/// The same with a run of its own.
Status CheckRewrites(const Model& rewritten, const FirstRun& first_run, const RunContext& context);
/// Errors: kPassFailed where the outputs of both models differ by more than rounding; those of a run.
Status CheckSameResults(const Model& before, const Model& after, const Batch& batch, const RunContext& context);

}  // namespace preon
