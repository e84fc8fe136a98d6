#include <algorithm>
#include <optional>

#include "api/verbs.h"
#include "base/output/staged_folder.h"
#include "base/text.h"
#include "eval/fusion_report.h"
#include "handover/float_weights.h"
#include "handover/loader_script.h"
#include "handover/training_form.h"
#include "handover/write_encodings.h"
#include "ir/model_io.h"
#include "passes/infer_all_shapes.h"
#include "pipeline/output.h"
#include "pipeline/prepare_model.h"
#include "pipeline/samples.h"
#include "quantize/qdq_passes/qdq_pass.h"
#include "quantize/read/stored_floats.h"
#include "runtime/runtime_evaluator.h"

namespace preon {
namespace {

// The quantized model as pairs, whatever form the file has.
Result<Model> LoadPairs(const std::string& path, std::vector<std::string>& warnings, const RunContext& context) {
  PREON_ASSIGN_OR_RETURN(Model model, LoadModel(path));
  PREON_RETURN_IF_ERROR(ChangedByQdqPasses(model, {"qdq"}, warnings).status());
  RestoreFloatWeights(model.graph);
  RuntimeEvaluator evaluator(context);
  InferAllShapes(model, &evaluator);
  return model;
}

// What the runtime alone computes in integers stays in the graph, and training can't go through it.
Status CheckAllFloat(const Model& float_model) {
  for (const auto& node : float_model.graph.nodes()) {
    if (IsIntegerKernel(node->op_type))
      return Error(ErrorId::kNotYetSupported, float_model.source_path, ": node ", node->name, ": ", node->op_type,
                   " can't be exported: its scales are computed when the model runs")
          .WithHint("quantize with --exclude for this node");
  }
  return Status::Ok();
}

// The float model as the default rewrites leave it: names are those of the quantized one then.
Result<std::optional<PreparedModel>> PreparedFloatModel(RunInputs& run) {
  if (run.options.float_model.empty()) return std::optional<PreparedModel>();
  run.samples = MadeUpSamples();  // the rewrites are checked on one
  const ModelPreparation preparation = run.Preparation();
  PREON_ASSIGN_OR_RETURN(PreparedModel prepared, preparation.Prepare(run.options.float_model));
  return std::optional(std::move(prepared));
}

Result<std::vector<RoundingError>> UseWeightsOf(const Graph& float_graph, const std::string& path, TrainingForm& form,
                                                ExportResult& result) {
  PREON_ASSIGN_OR_RETURN(std::vector<RoundingError> taken, TakeFloatWeights(float_graph, form));
  if (taken.empty() && result.weights > 0)
    return Error(ErrorId::kBadOptionValue, "--float-model ", path, ": has none of the weights of ", result.model,
                 "; wanted the model that it was quantized from");
  result.float_model = path;
  result.float_weights = std::ssize(taken);
  return taken;
}

// Of weights, and of activations where there are samples.
Result<std::string> SensitivityOf(std::vector<RoundingError> weights, const Model& quantized, const TrainingForm& form,
                                  const Samples& samples, const RunContext& context) {
  std::vector<RoundingError> errors = std::move(weights);
  if (samples.open) {
    PREON_ASSIGN_OR_RETURN(const std::unique_ptr<DataSource> source,
                           samples.open(InputSpecs(form.float_model.graph), {}));
    PREON_ASSIGN_OR_RETURN(const std::vector<RoundingError> measured,
                           MeasureActivations(quantized, form, *source, context));
    errors.insert(errors.end(), measured.begin(), measured.end());
  }
  return SensitivityText(std::move(errors));
}

Status WriteFiles(const TrainingForm& form, const std::string& sensitivity, StagedFolder& folder,
                  ExportResult& result) {
  const auto add_text = [&](const char* name, std::string_view text) {
    result.files.emplace_back(name);
    return WriteFileAtomically(folder.File(name), text);
  };
  result.files = {"model.onnx", "qonnx.onnx"};
  PREON_RETURN_IF_ERROR(SaveModel(form.float_model, folder.File("model.onnx")));
  PREON_RETURN_IF_ERROR(SaveModel(form.fake_quant_model, folder.File("qonnx.onnx")));
  PREON_RETURN_IF_ERROR(add_text("encodings.json", EncodingsText(form.tensors)));
  std::vector<std::string> left_out;
  PREON_RETURN_IF_ERROR(add_text("encodings_1.0.0.json", FirstEncodingsText(form.tensors, left_out)));
  if (!left_out.empty())
    result.warnings.push_back(StrCat("encodings_1.0.0.json has no blocks of weights: without ", JoinNames(left_out)));
  if (!sensitivity.empty()) PREON_RETURN_IF_ERROR(add_text("sensitivity.json", sensitivity));
  return add_text("fake_quant.py", kLoaderScript);
}

}  // namespace

Result<ExportResult> ExportQatVerb(const std::string& path, RunInputs& run) {
  const Options& options = run.options;
  PREON_RETURN_IF_ERROR(CheckOutputFolder("export-qat", options.outputs.file, {path, options.float_model}));
  ExportResult result{.model = path, .output = options.outputs.file};
  const Samples samples = run.samples;
  if (samples.open && options.float_model.empty())
    return Error(ErrorId::kMissingOption,
                 "export-qat: --data: wanted --float-model as well: errors are those against "
                 "the float model");
  run.context.BeginStage("load");
  PREON_ASSIGN_OR_RETURN(const Model model, LoadPairs(path, result.warnings, run.context));
  PREON_ASSIGN_OR_RETURN(const std::optional<PreparedModel> prepared, PreparedFloatModel(run));
  const Graph* float_graph = prepared ? &prepared->model.graph : nullptr;
  run.context.BeginStage("export");
  PREON_ASSIGN_OR_RETURN(TrainingForm form, TrainingFormOf(model, float_graph));
  PREON_RETURN_IF_ERROR(CheckAllFloat(form.float_model));
  result.warnings.insert(result.warnings.end(), form.warnings.begin(), form.warnings.end());
  result.weights = std::ranges::count(form.tensors, true, &RoundedTensor::constant);
  result.activations = static_cast<int64_t>(form.tensors.size()) - result.weights;
  std::string sensitivity;
  if (float_graph != nullptr) {
    PREON_ASSIGN_OR_RETURN(std::vector<RoundingError> weights,
                           UseWeightsOf(*float_graph, options.float_model, form, result));
    run.context.BeginStage("sensitivity");
    PREON_ASSIGN_OR_RETURN(sensitivity, SensitivityOf(std::move(weights), model, form, samples, run.context));
  }
  run.context.BeginStage("write");
  PREON_ASSIGN_OR_RETURN(StagedFolder folder, StagedFolder::Open(options.outputs.file));
  PREON_RETURN_IF_ERROR(WriteFiles(form, sensitivity, folder, result));
  PREON_RETURN_IF_ERROR(folder.Commit());
  result.facts = RunFactsOf(run.context, "export-qat");
  return result;
}

}  // namespace preon
