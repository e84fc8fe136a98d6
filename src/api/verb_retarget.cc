#include <set>

#include "api/rewritten_model.h"
#include "api/verbs.h"
#include "base/text.h"
#include "eval/latency.h"
#include "ir/model_io.h"
#include "passes/infer_all_shapes.h"
#include "pipeline/output.h"
#include "quantize/qdq_passes/qdq_pass.h"
#include "runtime/runtime_evaluator.h"

namespace preon {
namespace {

// kUndefined: types stay as they are. Errors: kBadOptionValue.
Result<DataType> AskedActivation(const GivenTypes& given, const TensorType& type) {
  if (!given.activation) return DataType::kUndefined;
  if (type != DataType::kInt8 && type != DataType::kUInt8)
    return Error(ErrorId::kBadOptionValue, "--activation: got '", type.name(),
                 "', wanted int8 or uint8: retarget computes no new codes")
        .WithHint("preon quantize makes a model with other types");
  return type.type();
}

std::set<std::string> PassesFor(DataType activation, std::optional<QuantFormat> format, bool for_speed,
                                bool new_opset) {
  std::set<std::string> passes;
  if (for_speed) passes = {"qdq", "standard_quantizers", "int32_biases", "clamp_codes"};
  if (format || activation != DataType::kUndefined) passes.insert("qdq");
  if (activation != DataType::kUndefined)
    passes.insert(activation == DataType::kUInt8 ? "unsigned_activations" : "signed_activations");
  if (activation == DataType::kInt8 || new_opset) passes.insert("pairs_behind_moves");
  if (format == QuantFormat::kQOperator) passes.insert("qoperator");
  return passes;
}

Status RaiseOpset(Model& model, int64_t opset, std::vector<std::string>& changes) {
  if (opset == 0 || opset == model.opset()) return Status::Ok();
  if (opset < model.opset())
    return Error(ErrorId::kBadOptionValue, "--opset ", opset, ": ", model.source_path, " has opset ", model.opset(),
                 ", which can't be lowered");
  PREON_RETURN_IF_ERROR(ConvertOpset(model, opset));
  changes.emplace_back("opset");
  return Status::Ok();
}

// Quantizers of activations whose codes kept the other type.
void WarnOfType(const Graph& graph, DataType wanted, std::vector<std::string>& warnings) {
  if (wanted == DataType::kUndefined) return;
  const DataType other = wanted == DataType::kInt8 ? DataType::kUInt8 : DataType::kInt8;
  std::vector<std::string> kept;
  for (const auto& node : graph.nodes()) {
    const Tensor* zero_point = graph.Initializer(node->input(2));
    if (node->op_type == "QuantizeLinear" && graph.Initializer(node->input(0)) == nullptr && zero_point != nullptr &&
        zero_point->type() == other)
      kept.push_back(StrCat("'", node->input(0), "'"));
  }
  if (!kept.empty())
    warnings.push_back(StrCat("stays ", DataTypeName(other),
                              ", because not only DequantizeLinear nodes read the codes: ", JoinNames(kept)));
}

}  // namespace

Result<RetargetResult> RetargetVerb(const std::string& path, RunInputs& run) {
  const Options& options = run.options;
  PREON_RETURN_IF_ERROR(CheckOutputs("retarget", options, {path}));
  const Target& target = *run.choices.target;
  const bool for_speed = options.target.has_value();
  if (for_speed && (!target.FollowsRuntime() || !target.NeedsStatistics(run.choices.plan)))
    return Error(ErrorId::kBadOptionValue, "--target ", target.name(),
                 ": retarget cannot move quantizers to the places that this target needs")
        .WithHint(StrCat("preon quantize --target ", target.name(), " quantizes the float model for it"));
  if (options.plan.op_list.format)
    return Error(ErrorId::kBadOptionValue, "--format: got 'extended', wanted qdq or qoperator");
  PREON_ASSIGN_OR_RETURN(DataType activation, AskedActivation(options.given_types, options.plan.activation));
  if (for_speed && activation == DataType::kUndefined) activation = DataType::kUInt8;
  const std::set<std::string> passes =
      PassesFor(activation, options.write.format, for_speed, options.prepare.opset > 0);
  if (passes.empty() && options.prepare.opset == 0)
    return Error(ErrorId::kMissingOption,
                 "retarget: nothing to change was given; wanted --activation, --format, --opset or --target");
  run.context.BeginStage("load");
  PREON_ASSIGN_OR_RETURN(Model model, LoadModel(path));
  PREON_RETURN_IF_ERROR(CheckQuantized(model));
  PREON_RETURN_IF_ERROR(CheckNotInputs(options.outputs, model.external_files));
  RuntimeEvaluator evaluator(run.context);
  InferAllShapes(model, &evaluator);
  const Model given = model;

  run.context.BeginStage("rewrite");
  RetargetResult result{.model = path, .output = options.outputs.file};
  PREON_RETURN_IF_ERROR(RaiseOpset(model, options.prepare.opset, result.changes));
  PREON_ASSIGN_OR_RETURN(const std::vector<std::string> changed, ChangedByQdqPasses(model, passes, result.warnings));
  result.changes.insert(result.changes.end(), changed.begin(), changed.end());
  if (result.changes.empty())
    return Error(ErrorId::kNothingToGain, path,
                 ": not written: the model has this form already, or no part of it can get this form");
  WarnOfType(model.graph, activation, result.warnings);
  InferAllShapes(model, &evaluator);
  PREON_ASSIGN_OR_RETURN(Session before, Session::OpenModel(given, TimedSession(run.context), run.context));
  PREON_ASSIGN_OR_RETURN(const RewriteSamples samples, SamplesFor(before, given, run));
  PREON_ASSIGN_OR_RETURN(Session after, Session::OpenModel(model, TimedSession(run.context), run.context));
  PREON_ASSIGN_OR_RETURN(result.figures,
                         CompareRewritten(before, after, samples, options.latency_seconds, run.context));
  result.lossless = SameOutputs(result.figures.compare);
  if (!result.lossless) {
    run.context.BeginStage("compare");
    PREON_ASSIGN_OR_RETURN(result.lossless, SameValues(given, model, samples, run.context));
  }
  run.context.BeginStage("write");
  PREON_RETURN_IF_ERROR(SaveModel(model, options.outputs.file,
                                  {.external_data = options.write.external_data, .inputs = model.external_files}));
  result.facts = RunFactsOf(run.context, "retarget");
  return result;
}

}  // namespace preon
