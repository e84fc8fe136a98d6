#include <cmath>

#include "api/verbs.h"
#include "calib/calibration.h"
#include "instrument/instrumented_model.h"
#include "ir/constant_value.h"
#include "ir/model_io.h"
#include "passes/infer_all_shapes.h"
#include "passes/typical_shapes.h"
#include "pipeline/output.h"
#include "quantize/plan/macs.h"
#include "runtime/runtime_evaluator.h"

namespace preon {
namespace {

// "float[N, 3, 224, 224]", with the model's own names of dynamic dimensions.
TensorSummary Summarize(const Graph& graph, const std::string& tensor) {
  const ValueInfo* info = graph.Info(tensor);
  if (info == nullptr) return {tensor, "unknown"};
  if (!info->opaque_type.empty()) return {tensor, "not a tensor"};
  std::string text(DataTypeName(info->type));
  if (!info->shape) return {tensor, text + "[…]"};
  std::string dims;
  for (size_t axis = 0; axis < info->shape->size(); ++axis) {
    const int64_t dim = (*info->shape)[axis];
    const std::string named =
        axis < info->dim_names.size() && !info->dim_names[axis].empty() ? info->dim_names[axis] : "?";
    dims += (axis == 0 ? "" : ", ") + (dim == kDynamicDim ? named : std::to_string(dim));
  }
  return {tensor, text + "[" + dims + "]"};
}

void AddWeight(const Tensor& value, ModelSummary& summary) {
  ++summary.weights;
  summary.weight_bytes += static_cast<int64_t>(value.bytes().size());
}

Result<ModelSummary> InspectModel(const std::string& path, const RunContext& context) {
  context.BeginStage("load");
  PREON_ASSIGN_OR_RETURN(Model model, LoadModel(path, {.inline_functions = true}));
  RuntimeEvaluator evaluator(context);
  InferAllShapes(model, &evaluator);
  SetTypicalShapes(model, &evaluator);
  const Graph& graph = model.graph;
  ModelSummary summary{
      .path = path,
      .fingerprint = model.fingerprint,
      .size_bytes = ModelSizeBytes(path, model),
      .ir_version = model.ir_version,
      .opsets = model.opsets,
      .producer = model.producer_name + (model.producer_version.empty() ? "" : " " + model.producer_version),
      .metadata = model.metadata};
  for (const std::string& input : graph.inputs()) summary.inputs.push_back(Summarize(graph, input));
  for (const std::string& output : graph.outputs()) summary.outputs.push_back(Summarize(graph, output));
  for (const auto& node : graph.nodes()) {
    ++summary.operators[(node->domain.empty() ? "" : node->domain + ".") + node->op_type];
    summary.macs += NodeMacs(graph, *node) + RecurrentMacs(graph, *node) + EinsumMacs(graph, *node);
    const Tensor* constant = node->Is("Constant") ? ConstantValue(graph, node->output()) : nullptr;
    if (constant != nullptr) AddWeight(*constant, summary);
    summary.quantized |= node->op_type == "QuantizeLinear" || node->op_type == "DequantizeLinear";
  }
  for (const auto& [name, value] : graph.initializers()) AddWeight(value, summary);
  if (const Node* node = FindInstrumented(graph)) {
    PREON_ASSIGN_OR_RETURN(const Description description, DescriptionOf(*node));
    const Instrumentation& plan = description.plan;
    summary.instrumented = {.fingerprint = plan.header.model_fingerprint,
                            .setup = plan.header.setup,
                            .every = plan.every,
                            .observed_tensors = static_cast<int64_t>(plan.request.tensors.size())};
  }
  summary.facts = RunFactsOf(context, "inspect");
  return summary;
}

Result<CalibSummary> InspectCalibration(const std::string& path, const RunContext& context) {
  context.BeginStage("load");
  PREON_ASSIGN_OR_RETURN(const CalibrationData data, LoadCalibration(path));
  CalibSummary summary{.path = path,
                       .fingerprint = data.model_fingerprint,
                       .setup = data.setup,
                       .samples = data.sample_count(),
                       .shared = data.shared};
  for (const auto& [name, sketch] : data.tensors) {
    summary.tensors[name] = {.count = sketch.count(),
                             .zeros = sketch.zero_count(),
                             .min = sketch.min(),
                             .max = sketch.max(),
                             .mean = sketch.mean(),
                             .deviation = std::sqrt(sketch.variance())};
  }
  summary.facts = RunFactsOf(context, "inspect");
  return summary;
}

}  // namespace

Result<std::variant<ModelSummary, CalibSummary>> InspectVerb(const std::string& path, const RunContext& context) {
  using Either = std::variant<ModelSummary, CalibSummary>;
  if (path.ends_with(".calib") || IsCalibFile(path)) {
    PREON_ASSIGN_OR_RETURN(CalibSummary summary, InspectCalibration(path, context));
    return Either(std::move(summary));
  }
  PREON_ASSIGN_OR_RETURN(ModelSummary summary, InspectModel(path, context));
  return Either(std::move(summary));
}

}  // namespace preon
