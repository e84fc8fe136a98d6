#include "pipeline/prepare_model.h"

#include <future>

#include "base/spelling.h"
#include "base/system.h"
#include "base/tensor_spec.h"
#include "calib/calibration.h"
#include "eval/compare_models.h"
#include "eval/fusion_report.h"
#include "eval/input_check.h"
#include "eval/runnable_inputs.h"
#include "formats/quark_operators.h"
#include "instrument/instrumented_model.h"
#include "ir/model_io.h"
#include "ir/same_graph.h"
#include "passes/clip6_to_relu.h"
#include "passes/convert_float16.h"
#include "passes/convert_float16_parts.h"
#include "passes/fix_shapes.h"
#include "passes/infer_all_shapes.h"
#include "passes/set_attributes.h"
#include "passes/typical_shapes.h"
#include "pipeline/float_algorithms.h"
#include "pipeline/gain.h"
#include "pipeline/output.h"
#include "quantize/plan/branch_coverage.h"
#include "quantize/plan/nothing_left.h"
#include "quantize/plan/target.h"
#include "quantize/qdq_passes/float16_scales.h"
#include "quantize/settings/given_weights.h"
#include "quantize/settings/layer_selection.h"
#include "quantize/settings/layer_settings.h"
#include "quantize/settings/node_selection.h"
#include "quantize/settings/resolve_selectors.h"
#include "runtime/runtime_evaluator.h"
#include "runtime/session.h"

namespace preon {
namespace {

// Rewrites only change the order of float operations: errors around 1e-6 of the output. 60 dB is 1e-3.
constexpr double kSameModelSqnrDb = 60;
// What rounding in a layer before does to an output that is nearly zero.
constexpr double kSameDifference = 1e-6;

// Opens faster, and a rewrite is not blamed for what the runtime rewrites.
Result<Session> OpenAsItStands(const Model& model, const RunContext& context) {
  const SessionOptions options{.threads = context.ThreadCount(), .optimization = Optimization::kOff};
  return Session::OpenModel(model, options, context);
}

Result<std::vector<NamedTensor>> RunOnce(const Model& model, const Batch& batch, const RunContext& context) {
  PREON_ASSIGN_OR_RETURN(Session session, OpenAsItStands(model, context));
  return OfSamples(session.Run(batch.feeds, context), batch);
}

// The first output that is worse than rounding.
Status CheckSame(const FirstRun& first_run, const std::vector<NamedTensor>& got) {
  if (!first_run.outputs) return Status::Ok();
  Comparer comparer;
  PREON_RETURN_IF_ERROR(comparer.Add(*first_run.outputs, got, first_run.batch.samples, {}));
  for (const auto& [name, output] : comparer.Finish().outputs) {
    const bool near = output.sqnr_db >= kSameModelSqnrDb || output.max_abs <= kSameDifference;
    if (near && output.not_finite == 0 && output.shape_differs == 0) continue;
    return Error(ErrorId::kPassFailed, "output '", name, "' differs by up to ", output.max_abs, " (SQNR ",
                 output.sqnr_db, " dB)");
  }
  return Status::Ok();
}

// Takes the model to `opset` when it is below; a model above keeps its own.
Status RaiseTo(Model& model, int64_t opset) {
  return model.opset() < opset ? ConvertOpset(model, opset) : Status::Ok();
}

Status CheckIsFloat(const Model& model) {
  PREON_RETURN_IF_ERROR(CheckNotInstrumented(model));
  for (const auto& node : model.graph.nodes()) {
    const bool in_library = node->domain == kQuarkDomain || node->domain == kOlderQuarkDomain;
    if (node->op_type != "QuantizeLinear" && node->op_type != "DequantizeLinear" && !IsIntegerKernel(node->op_type) &&
        !in_library)
      continue;
    return Error(ErrorId::kAlreadyQuantized, model.source_path, ": node ", node->name, ": the model already holds ",
                 node->op_type, "; wanted a float model")
        .WithHint(
            "quantized models are for preon lint, preon retarget, preon export-qat, and preon validate FLOAT "
            "QUANTIZED");
  }
  return Status::Ok();
}

}  // namespace

// Float16 tensors, where there are some: how they became float32.
Result<std::optional<Float16>> ModelPreparation::ComputeInFloat32(Model& model,
                                                                  std::vector<std::string>& warnings) const {
  RuntimeEvaluator evaluator(context_);
  InferAllShapes(model, &evaluator);
  PREON_RETURN_IF_ERROR(ConvertFloat16Parts(model, inputs_.options.float16_parts, warnings).status());
  const Float16 how = inputs_.passes.disabled.contains("convert_float16")
                          ? Float16::kOff
                          : inputs_.options.float16.value_or(Float16::kKeepIo);
  if (how == Float16::kOff) return std::optional<Float16>();
  const Result<Effect> effect =
      ConvertFloat16(model, how == Float16::kKeepIo ? Float16Border::kKept : Float16Border::kFloat32);
  if (!effect.ok())
    return Status(effect.status()).WithHint("--float16 off keeps its float16 tensors unchanged and in float");
  if (*effect == Effect::kUnchanged) {
    constexpr std::string_view kNoEffect = ": has no effect: the model has no float16 tensors";
    if (inputs_.options.float16) warnings.push_back(StrCat("--float16", kNoEffect));
    if (inputs_.options.float32_scales) warnings.push_back(StrCat("UseFP32Scale", kNoEffect));
    return std::optional<Float16>();
  }
  InferShapes(model);
  if (inputs_.options.float32_scales == false && how == Float16::kConvert)
    warnings.push_back("UseFP32Scale=false: has no effect with --float16 convert, after which the model is float32");
  context_.Log(LogLevel::kInfo, "a float16 model: it computes in float32");
  return std::optional(how);
}

// Raises the opset as far as the target likes it, or as far as it needs it where more does not work.
Status ModelPreparation::RaiseOpset(PreparedModel& prepared, const Verify& verify) const {
  Model& model = prepared.model;
  const Target& target = inputs_.target;
  const int64_t least = inputs_.options.opset, preferred = std::max(target.PreferredOpset(inputs_.plan), least);
  if (least != 0 && model.opset() > least)
    prepared.warnings.push_back(
        StrCat("--opset ", least, ": the model already has opset ", model.opset(), " and keeps it"));
  const Model as_loaded = model;
  const Status raised = RaiseTo(model, preferred);
  if (raised.ok() && (!verify || verify(as_loaded, model).ok())) return Status::Ok();
  model = as_loaded;
  PREON_RETURN_IF_ERROR(
      RaiseTo(model, std::max(target.RequiredOpset(inputs_.plan), least)).WithContext(model.source_path));
  prepared.warnings.push_back(StrCat("opset ", model.opset(), " instead of ", preferred,
                                     raised.ok() ? ": raising it changes the outputs" : ": " + raised.message()));
  return Status::Ok();
}

// Those of phase kFloatModel.
Status ModelPreparation::RunAlgorithms(PreparedModel& prepared, const Verify& verify) const {
  if (inputs_.rewritten_by.empty()) return Status::Ok();
  const FloatRewriteContext how{
      .quantized = [&](const Model& model) -> Result<NodeFilter> {
        PREON_ASSIGN_OR_RETURN(const QuantPlan plan, PlanWithLayerSettings(inputs_.target, model, inputs_.plan));
        return QuantizedBy(plan);
      },
      .collect = [&](const Model& model,
                     const StatisticsRequest& request) -> Result<std::optional<CollectedStatistics>> {
        if (samples_.made_up()) return std::optional<CollectedStatistics>();
        PREON_ASSIGN_OR_RETURN(auto source, samples_.open(prepared.inputs, {.limit = inputs_.calibration.samples}));
        source = Prefetch(std::move(source));
        const RunContext there = context_.Quiet().OnDevice();
        PREON_ASSIGN_OR_RETURN(const CalibrationData data, Calibrate(model, request, *source, {}, there));
        return std::optional(Collected(data, request));
      },
      .verify = verify,
      .plan = inputs_.plan,
      .run = context_};
  PREON_ASSIGN_OR_RETURN(const std::string learned,
                         RewriteFloatModel(prepared.model, inputs_.algorithms, how, &prepared.warnings));
  InferShapes(prepared.model);
  prepared.rewritten_by = inputs_.rewritten_by + learned;
  return Status::Ok();
}

// One attempt. `verify`, where there is one, decides about every single rewrite.
Result<PreparedModel> ModelPreparation::Rewrite(Model source, const std::vector<TensorSpec>& inputs,
                                                const Verify& verify) const {
  PreparedModel prepared;
  prepared.inputs = inputs;
  prepared.model = std::move(source);
  Model& model = prepared.model;
  const size_t source_nodes = model.graph.nodes().size();
  const Target& target = inputs_.target;
  const PlanOptions& plan = inputs_.plan;
  PREON_RETURN_IF_ERROR(RaiseOpset(prepared, verify));
  RuntimeEvaluator evaluator(context_);
  const Selection selection(plan.exclude, plan.op_list.selection.nodes);
  const PassEnv env{
      .evaluator = &evaluator,
      .context = &context_,
      .settings_of = SettingsOf(plan),
      .excluded = [&](const Node& node) { return selection.Excludes(node); },
      .leaves = [&](std::string_view pass, const Model& of,
                    const Node& node) { return target.LeavesNode(pass, of, node, plan); },
      .arithmetic = plan.compat == Compat::kQuark ? ArithmeticOf(plan.op_list.preprocessing.simplify) : Arithmetic(),
      .contrib_gelu = plan.compat == Compat::kQuark && !plan.op_list.preprocessing.Optimizes(),
      .copied_types = inputs_.options.copy_shared.value_or(std::vector<std::string>())};
  PassRunnerOptions runner{.disabled = inputs_.passes.disabled,
                           .enabled = inputs_.passes.enabled,
                           .bodies = target.RewritesBodies(plan),
                           .verify = verify};
  if (!plan.given_scales.empty()) {
    runner.verify = [&](const Model& before, const Model& after) -> Status {
      PREON_RETURN_IF_ERROR(CheckGivenWeights(before.graph, after.graph, plan.given_scales));
      return verify ? verify(before, after) : Status::Ok();
    };
  }
  for (const auto& pass : inputs_.registry.entries()) {
    const std::string name(pass->name());
    if (pass->phase() == PassPhase::kSource) {  // the source has been through them
      runner.disabled.insert(name);
      continue;
    }
    const bool wanted = target.WantsPass(name, pass->on_by_default(), plan);
    if (wanted)
      runner.enabled.insert(name);
    else if (!runner.enabled.contains(name))
      runner.disabled.insert(name);
  }
  for (const PassRecord& record : RunPasses(model, inputs_.registry, env, runner)) {
    if (!record.problem.empty()) prepared.warnings.push_back(StrCat("pass ", record.name, ": ", record.problem));
  }
  InferShapes(model);
  PREON_RETURN_IF_ERROR(RunAlgorithms(prepared, verify));
  SetTypicalShapes(model, &evaluator);
  PREON_ASSIGN_OR_RETURN(prepared.plan, PlanWithLayerSettings(target, model, plan));
  WarnOfUnknownOperators(model.graph,
                         {{"CopySharedInit", env.copied_types}, {"CopyBiasInit", inputs_.options.copy_bias}},
                         &prepared.warnings);
  prepared.plan.branch_probes = FindBranchProbes(model.graph, prepared.plan);
  const std::string optimized = AdviceForOptimized(model.graph);
  if (prepared.plan.empty() && prepared.plan.CountWeights() == 0) {
    return NothingToQuantize(prepared.plan, model.graph, source_nodes, target, inputs_.options.float16)
        .WithContext(model.source_path);
  }
  if (!optimized.empty()) prepared.warnings.push_back(optimized);
  prepared.warnings.insert(prepared.warnings.end(), prepared.plan.warnings.begin(), prepared.plan.warnings.end());
  return prepared;
}

// The source as everything else sees it: float32, with the shapes that the user has fixed, its nodes' names resolved.
Result<Model> ModelPreparation::Load(const std::string& path, PreparedModel& prepared) const {
  PREON_ASSIGN_OR_RETURN(Model source, LoadModel(path, {.inline_functions = true}));
  PREON_RETURN_IF_ERROR(CheckIsFloat(source));
  prepared.external_files = source.external_files;
  prepared.source_size_bytes = ModelSizeBytes(path, source);
  if (const std::vector<std::string> wrong = CorrectShapes(source); !wrong.empty())
    prepared.warnings.push_back(StrCat("the model states wrong shapes of ", FirstNames(wrong, 3),
                                       ": preon uses those that the operators give"));
  PREON_ASSIGN_OR_RETURN(prepared.float16, ComputeInFloat32(source, prepared.warnings));
  if (prepared.float16 == Float16::kKeepIo && inputs_.options.float32_scales == false)
    PREON_RETURN_IF_ERROR(RaiseTo(source, kOpsetOfFloat16Scales).WithContext("UseFP32Scale=false"));
  if (!inputs_.options.fixed_shapes.empty() && !inputs_.passes.disabled.contains("fix_shapes"))
    PREON_RETURN_IF_ERROR(FixShapes(source, inputs_.options.fixed_shapes).WithContext("--fix-shape"));
  PREON_RETURN_IF_ERROR(ReplaceAttributes(source.graph, inputs_.options.attributes).status());
  if (inputs_.passes.enabled.contains("clip6_to_relu")) PREON_RETURN_IF_ERROR(ReplaceClip6(source).status());
  PREON_RETURN_IF_ERROR(CheckOptionNames(source.graph, inputs_.algorithms, prepared.warnings));
  PREON_RETURN_IF_ERROR(ResolveNames(source.graph, inputs_.options.nhwc_of, &inputs_.plan));
  KeepWeightsInFile(source, context_);
  return source;
}

Result<std::vector<NamedTensor>> ModelPreparation::RunSource(const Model& source, const Batch& batch) const {
  Result<std::vector<NamedTensor>> outputs = RunOnce(source, batch, context_);
  if (outputs.ok() || !samples_.made_up() || outputs.status().id() == ErrorId::kCancelled) return outputs;
  return Status(outputs.status())
      .WithHint("without --data the sample is random, which this model may not accept; use --data");
}

// Without one more session where none is needed, or weights are so large that it is too much.
Result<std::vector<TensorSpec>> ModelPreparation::InputsOf(const Model& source) const {
  std::vector<TensorSpec> inputs = InputSpecs(source.graph);
  if (!samples_.free_shapes || !HaveOpenSizes(inputs) || HasLargeWeights(source.graph)) return inputs;
  PREON_ASSIGN_OR_RETURN(Session session, OpenAsItStands(source, context_));
  return RunnableInputs(session, source.graph, samples_, context_);
}

// Whether the samples are those that the model was trained for; where they do not matter, nothing is said.
Status ModelPreparation::CheckSamples(const Model& source, PreparedModel& prepared) const {
  if (samples_.made_up() || inputs_.data.from.has_random() || inputs_.calibration.workers.task ||
      !inputs_.target.NeedsStatistics(inputs_.plan))
    return Status::Ok();
  PREON_ASSIGN_OR_RETURN(const std::unique_ptr<DataSource> samples,
                         samples_.open(prepared.inputs, {.limit = inputs_.calibration.samples}));
  const auto load = [&]() -> Result<Model> { return source; };
  for (std::string& warning : CheckInputs(*samples, prepared.inputs, inputs_.data.shard.count, load, context_))
    prepared.warnings.push_back(std::move(warning));
  return Status::Ok();
}

Result<PreparedModel> ModelPreparation::Prepare(const std::string& path, const Status* differs) const {
  context_.BeginStage("load");
  const std::future<void> libraries = std::async(std::launch::async, [] {
    LoadOperatorSchemas();
    StartRuntime();
  });
  PreparedModel loaded;
  PREON_ASSIGN_OR_RETURN(Model source, Load(path, loaded));
  PREON_ASSIGN_OR_RETURN(loaded.inputs, InputsOf(source));
  FirstRun& first_run = loaded.first_run;
  PREON_ASSIGN_OR_RETURN(first_run.batch, FirstBatch(samples_, loaded.inputs));
  context_.BeginStage("prepare");
  PREON_RETURN_IF_ERROR(CheckSamples(source, loaded));

  Verify verify;
  bool repeatable = true;
  if (differs != nullptr) {
    PREON_ASSIGN_OR_RETURN(first_run.outputs, RunSource(source, first_run.batch));
    verify = [&](const Model&, const Model& after) {
      PREON_ASSIGN_OR_RETURN(const std::vector<NamedTensor> got, RunOnce(after, first_run.batch, context_));
      return CheckSame(first_run, got);
    };
    repeatable = verify(source, source).ok();
    if (!repeatable) verify = {};
  }
  Result<PreparedModel> rewritten = Rewrite(source, loaded.inputs, verify);
  // A model that does not run as it is explains whatever else fails.
  if (!inputs_.calibration.workers.task && !first_run.outputs &&
      (!rewritten.ok() || !SameGraph(source.graph, rewritten->model.graph))) {
    PREON_ASSIGN_OR_RETURN(first_run.outputs, RunSource(source, first_run.batch));
  }
  PREON_ASSIGN_OR_RETURN(PreparedModel prepared, std::move(rewritten));
  if (differs != nullptr) {
    prepared.warnings.push_back(repeatable
                                    ? StrCat("all rewrites together changed the outputs (", differs->message(),
                                             "), so each was checked alone: a warning names each one that was left out")
                                    : "the model's outputs differ from run to run: the rewrites could not be checked");
  }
  source = Model();  // frees its weights
  prepared.warnings.insert(prepared.warnings.begin(), loaded.warnings.begin(), loaded.warnings.end());
  prepared.verifies_each_pass = differs != nullptr && repeatable;
  prepared.float16 = loaded.float16;
  prepared.source_size_bytes = loaded.source_size_bytes;
  prepared.external_files = std::move(loaded.external_files);
  prepared.first_run = std::move(loaded.first_run);
  ReleaseFreeMemory();
  return prepared;
}

Status CheckRewrites(const FirstRun& first_run, const std::vector<NamedTensor>& outputs) {
  return CheckSame(first_run, outputs);
}

Status CheckRewrites(const Model& rewritten, const FirstRun& first_run, const RunContext& context) {
  if (!first_run.outputs) return Status::Ok();  // nothing was rewritten
  PREON_ASSIGN_OR_RETURN(const auto outputs, RunOnce(rewritten, first_run.batch, context));
  return CheckRewrites(first_run, outputs);
}

Status CheckSameResults(const Model& before, const Model& after, const Batch& batch, const RunContext& context) {
  FirstRun first_run{.batch = batch};
  PREON_ASSIGN_OR_RETURN(first_run.outputs, RunOnce(before, batch, context));
  PREON_ASSIGN_OR_RETURN(const std::vector<NamedTensor> got, RunOnce(after, batch, context));
  return CheckSame(first_run, got);
}

}  // namespace preon
