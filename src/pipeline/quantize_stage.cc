#include "pipeline/quantize_stage.h"

#include <filesystem>
#include <set>

#include "base/output/temp_dir.h"
#include "base/system.h"
#include "data/run_plan.h"
#include "decide/stored_weights.h"
#include "eval/compare_runs.h"
#include "eval/fusion_report.h"
#include "eval/latency.h"
#include "ir/model_io.h"
#include "passes/stated_shapes.h"
#include "pipeline/dpu_costs.h"
#include "pipeline/improve_codes.h"
#include "pipeline/output_checks.h"
#include "pipeline/placement.h"
#include "pipeline/write_plan.h"
#include "quantize/qdq_passes/integer_form.h"
#include "quantize/write/join_constants.h"
#include "report/debug/debug_lines.h"
#include "runtime/session.h"

namespace preon {
namespace {

// Samples of the comparison with float: enough for its figures, little against calibration.
constexpr int64_t kMaxComparedSamples = 256;
// So many samples tell how much their errors differ: fewer rarely show the few that are large.
constexpr int64_t kSamplesOfSpread = 60;
constexpr int64_t kFewestOfWritten = 8;  // that show its alarms
constexpr double kDefaultLatencySeconds = 0.2;
constexpr double kSlowerSpeed = 0.9;  // where its speed surely is below this, a result is called slower than float

bool AnyChanged(const std::vector<ImprovedCodes>& improved) {
  return std::ranges::any_of(improved, [](const ImprovedCodes& codes) { return codes.layers_changed > 0; });
}

}  // namespace

// What codes may be fitted to.
struct QuantizeStage::SomeSamples {
  Samples samples;
  int64_t calibrated;  // of all
};

// What results are compared with.
struct QuantizeStage::FloatSide {
  const std::string& source_path;
  const std::vector<TensorSpec>& inputs;
  const FloatOutputs& outputs;
  int64_t most_samples;  // compared
};

// The result of one plan, as its users will load it.
struct QuantizeStage::Written {
  Model quantized;
  std::optional<Session> session;
  std::optional<Placement> placement;  // what the runtime made of it
  WritingNotes notes;
};

Status QuantizeStage::NotWritten(ErrorId id, std::string_view why, const Status& reason) const {
  return Error(id, inputs_.output, ": not written: ", why, ": ", reason.message());
}

Result<QuantizeStage::Written> QuantizeStage::WriteOnce(const PlannedModel& prepared, const PlanInputs& inputs,
                                                        const Batch* compared) const {
  context_.BeginStage("quantize");
  Written written;
  PlanInputs checked = inputs;
  if (compared != nullptr) {
    checked.passes.verify = [&](const Model& before, const Model& after) {
      return CheckSameResults(before, after, *compared, context_);
    };
  }
  PREON_ASSIGN_OR_RETURN(written.quantized,
                         WritePlan(prepared.model, prepared.plan, inputs_.method, checked, context_, &written.notes));
  if (inputs_.target.FollowsRuntime()) JoinFloatConstants(written.quantized.graph);
  SettleShapes(written.quantized, inputs_.write.value_info);
  context_.BeginStage("verify");
  if (HasLargeWeights(prepared.model.graph)) KeepWeightsInFile(written.quantized, context_);
  PREON_RETURN_IF_ERROR(LoadForVerification(prepared, written));
  return written;
}

Status QuantizeStage::LoadForVerification(const PlannedModel& prepared, Written& written) const {
  const Model& quantized = written.quantized;
  PREON_ASSIGN_OR_RETURN(const TempDir folder, TempDir::Create(context_.TempDir()));
  // Weights in a file are named relative to the model that the runtime was given.
  const std::string saved =
      quantized.weight_file
          ? std::filesystem::path(quantized.weight_file->path).replace_filename("optimized.onnx").string()
          : folder.File("optimized.onnx");
  SessionOptions options = TimedSession(context_);  // MeasureLatencies takes the same session
  options.save_optimized_to = saved;
  const Status valid = CheckModel(quantized);
  const auto source_is_valid = [&] {
    const Result<Model> source = LoadModel(prepared.model.source_path);
    return source.ok() && CheckModel(*source).ok();
  };
  if (!valid.ok() && source_is_valid())
    return NotWritten(ErrorId::kVerifyLoad, "the result breaks a rule of ONNX", valid);
  if (!valid.ok()) {
    written.notes.warnings.push_back(
        StrCat("the float model breaks a rule of ONNX, and so does the result: ", valid.message()));
  }
  Result<Session> session = Session::OpenModel(quantized, options, context_);
  const ErrorId why = session.ok() ? ErrorId() : session.status().id();
  if (why == ErrorId::kCancelled || why == ErrorId::kModelTypeUnsupported) return session.status();
  if (!session.ok()) {
    // It may be the runtime's own copy that could not be written.
    const bool loads = Session::OpenModel(quantized, {.threads = options.threads}, context_).ok();
    if (!loads) return NotWritten(ErrorId::kVerifyLoad, "the runtime can't load the result", session.status());
    return NotWritten(ErrorId::kIoWrite, StrCat("the runtime can't write its graph in ", context_.TempDir()),
                      session.status())
        .WithHint("--tmp-dir chooses another folder");
  }
  written.session = std::move(session).value();
  const Result<Model> optimized = LoadModel(options.save_optimized_to);
  if (optimized.ok()) {
    written.placement = JoinPlacement(prepared.plan, prepared.model.graph,
                                      ObserveKernels(quantized.graph, optimized->graph), written.notes.float_weights);
  } else {
    written.notes.warnings.push_back(
        StrCat("can't tell which nodes run in integers, because ONNX Runtime's optimized graph can't be read: ",
               optimized.status().message()));
  }
  return Status::Ok();
}

Status QuantizeStage::ImproveWritten(const PlannedModel& prepared, const std::vector<const Algorithm*>& algorithms,
                                     const SomeSamples& fitted, Written& written,
                                     std::vector<ImprovedCodes>& improved) const {
  const auto acts = [](const Algorithm* algorithm) { return algorithm->phase() == AlgorithmPhase::kWritten; };
  if (std::ranges::none_of(algorithms, acts)) return Status::Ok();
  context_.BeginStage("reconstruct");
  const CodesToImprove of{{prepared.model, written.notes.divided}, prepared.plan, fitted.calibrated};
  PREON_ASSIGN_OR_RETURN(
      improved, ImproveCodes(written.quantized, of, algorithms, fitted.samples, context_, written.notes.warnings));
  if (!AnyChanged(improved)) return Status::Ok();
  context_.BeginStage("verify");
  return LoadForVerification(prepared, written);
}

Status QuantizeStage::CompareWithFloat(const FloatSide& in_float, const Model& quantized, const Samples& samples,
                                       Session* opened, Comparer& comparer) const {
  PREON_ASSIGN_OR_RETURN(std::unique_ptr<DataSource> source, samples.open(in_float.inputs, {}));
  source = Prefetch(std::move(source));
  const RunPlan runs = PlanRuns(quantized, context_.ThreadCount(), *source, inputs_.memory);
  std::optional<Session> beside;
  if (opened == nullptr || runs.at_once > 1) {
    PREON_ASSIGN_OR_RETURN(const Model form, IntegerForm(quantized));
    PREON_ASSIGN_OR_RETURN(beside, Session::OpenModel(form, {.threads = runs.threads}, context_));
  }
  FloatModel reference(in_float.outputs, in_float.source_path, runs.threads, context_);
  ReleaseFreeMemory();
  return CompareInto([&](const Batch& batch) { return reference.Outputs(batch); },
                     OutputsOf(beside ? *beside : *opened, context_), *source,
                     {.at_once = runs.at_once, .max_samples = in_float.most_samples}, context_, comparer);
}

Result<std::optional<Comparison>> QuantizeStage::CompareStandIns(const PlannedModel& prepared,
                                                                 const FloatSide& in_float, const PlanInputs& inputs,
                                                                 const StandIns& stand_ins) const {
  Comparer comparer;
  for (size_t index = 0; index < stand_ins.count(); ++index) {
    PREON_ASSIGN_OR_RETURN(const CalibrationData stand_in, stand_ins.Make(index));
    const PlanInputs unseen{.data = stand_in,
                            .saved = inputs.saved,
                            .own_method = inputs.own_method,
                            .algorithms = inputs.algorithms,
                            .passes = inputs.passes};
    const Result<Model> quantized = WritePlan(prepared.model, prepared.plan, inputs_.method, unseen, context_);
    if (!quantized.ok() && quantized.status().id() == ErrorId::kCancelled) return quantized.status();
    if (!quantized.ok()) return std::optional<Comparison>();  // only samples that it lacks have reached some tensor
    PREON_RETURN_IF_ERROR(
        CompareWithFloat(in_float, *quantized, Without(samples_, stand_in.samples), nullptr, comparer));
  }
  return std::optional(comparer.Finish());
}

// Where stand-ins run on what was held out, the written model runs on some of the rest: for alarms, and errors' spread.
Status QuantizeStage::CompareResult(const PlannedModel& prepared, const PlanInputs& inputs, const FloatSide& in_float,
                                    const ComparedSamples& compared, Written& written, QuantizeResult& result) const {
  context_.BeginStage("compare");
  result.figures = compared.figures;
  FigureOrigin& origin = result.figures.origin;
  const bool large = HasLargeWeights(prepared.model.graph);
  const Samples judging = compared.judging.open ? compared.judging : Without(samples_, compared.left_out);
  if (large && judging.made_up()) {
    origin = FigureOrigin::kNothing;
    return Status::Ok();
  }
  std::optional<Comparison> unseen, of_seen;
  if (compared.stand_ins != nullptr && !(large && compared.stand_ins->is_folds())) {
    if (!AnyChanged(result.improved) && !HasLearned(prepared.rewritten_by)) {
      PREON_ASSIGN_OR_RETURN(unseen, CompareStandIns(prepared, in_float, inputs, *compared.stand_ins));
    }
    if (unseen && origin == FigureOrigin::kCalibration) origin = FigureOrigin::kCrossValidation;
    if (!unseen && origin == FigureOrigin::kHeldOut) origin = FigureOrigin::kRangesHaveSeen;
  }
  Session* opened = prepared.plan.positions ? nullptr : &*written.session;  // models for NPUs run faster as IntegerForm
  const auto compare_written = [&](const Samples& samples) -> Result<Comparison> {
    Comparer comparer;
    PREON_RETURN_IF_ERROR(CompareWithFloat(in_float, written.quantized, samples, opened, comparer));
    Comparison comparison = comparer.Finish();
    PREON_RETURN_IF_ERROR(CheckOutputs(inputs_.output, comparison, prepared.model.graph));
    return comparison;
  };
  if (!unseen || compared.left_out.empty()) {
    PREON_ASSIGN_OR_RETURN(result.compare, compare_written(judging));
  }
  const int64_t for_spread = large ? 0 : kSamplesOfSpread - (unseen ? *unseen : result.compare).samples;
  const int64_t more = std::max(for_spread, unseen ? kFewestOfWritten : 0);
  if (more > 0 && !compared.left_out.empty()) {
    PREON_ASSIGN_OR_RETURN(of_seen, compare_written(SomeOf(samples_, compared.left_out, more)));
  }
  if (unseen && of_seen) result.compare = *of_seen;
  if (unseen) TakeFigures(*std::move(unseen), result.compare);
  if (of_seen) WidenIntervals(*of_seen, result.compare);
  return Status::Ok();
}

Result<std::vector<DpuCost>> QuantizeStage::DpuCostsOf(const PlannedModel& prepared, const Batch& batch,
                                                       const PlanInputs& inputs,
                                                       const FloatOutputs& float_outputs) const {
  FloatModel reference(float_outputs, prepared.model.source_path, context_.ThreadCount(), context_);
  const auto outputs = [&](const Batch& of) { return reference.Outputs(of); };
  return MeasureDpuCosts(prepared, inputs, inputs_.method, batch, outputs, context_);
}

Status QuantizeStage::MeasureLatencies(const Model& source, const Batch& batch, Written& written,
                                       QuantizeResult& result) const {
  const Target& target = inputs_.target;
  result.computes_in_float = target.QuantizesActivations() && !target.FollowsRuntime() && written.placement &&
                             (written.placement->integer_anchors == 0 || !written.placement->runs_on.empty());
  const bool both_fit = !HasLargeWeights(source.graph);
  const bool tells = both_fit && (!written.placement || written.placement->runs_on.empty());
  const double seconds = inputs_.latency_seconds.value_or(tells ? kDefaultLatencySeconds : 0);
  if (!both_fit && !inputs_.latency_seconds)
    result.warnings.emplace_back(
        "the speed was not measured: that takes the float model and the result in memory side by side, and the weights "
        "are above 1 GiB; --latency SECONDS measures it");
  if (seconds == 0) return Status::Ok();
  context_.BeginStage("latency");
  // Both from memory, so that both have their weights in the same kind of memory.
  const auto measure = [&](Session& other, const RunContext& context) -> Result<LatencyPair> {
    PREON_ASSIGN_OR_RETURN(std::optional<Model> float_model, LoadModel(source.source_path));
    PREON_ASSIGN_OR_RETURN(Session reference, Session::OpenModel(*float_model, TimedSession(context), context));
    float_model.reset();
    ReleaseFreeMemory();
    return ConfirmSlower([&](double longer) {
      return MeasureLatency(reference, other, batch.feeds, batch.samples, longer * seconds, context);
    });
  };
  PREON_ASSIGN_OR_RETURN(result.latency, measure(*written.session, context_));
  if (result.latency.speedup.busy && result.latency.speedup.median < 1 && context_.ThreadCount() > 1) {
    RunContext alone = context_;
    alone.threads = 1;  // its processor time is known, in which other programs do not count
    PREON_ASSIGN_OR_RETURN(Session other, Session::OpenModel(written.quantized, TimedSession(alone), alone));
    PREON_ASSIGN_OR_RETURN(const LatencyPair of_one, measure(other, alone));
    if (!of_one.speedup.busy && of_one.speedup.high < 1) result.latency = of_one;
  }
  const Speedup& speedup = result.latency.speedup;
  if (!target.FollowsRuntime() && !result.computes_in_float && !speedup.busy && speedup.high < kSlowerSpeed) {
    result.warnings.emplace_back(
        "the quantized model is slower than the float model on this machine; --target ort-cpu, with weights of 8 bits, "
        "is made for speed");
  }
  return Status::Ok();
}

Result<QuantizedModel> QuantizeStage::Run(PreparedModel& prepared, const PlanInputs& inputs,
                                          const FallbackPlanner& fallback, const FloatOutputs& float_outputs,
                                          const ComparedSamples& compared) const {
  ReleaseFreeMemory();  // of trials
  Written written;
  PREON_RETURN_IF_ERROR(fallback.LeaveUnfit(prepared, [&]() -> Result<WrittenFacts> {
    const Batch* one_run = prepared.verifies_each_pass ? &prepared.first_run.batch : nullptr;
    PREON_ASSIGN_OR_RETURN(written, WriteOnce(prepared, inputs, one_run));
    return WrittenFacts{.placement = written.placement ? &*written.placement : nullptr,
                        .positions = &written.notes.positions};
  }));
  if (!inputs_.write.always) PREON_RETURN_IF_ERROR(CheckShifts(inputs_.output, prepared.plan, written.notes.positions));
  std::vector<ImprovedCodes> improved;
  const int64_t calibrated = inputs.data.sample_count();
  const SomeSamples fitted{Without(samples_, compared.held_out), calibrated > 0 ? calibrated : compared.given};
  PREON_RETURN_IF_ERROR(ImproveWritten(prepared, inputs.algorithms, fitted, written, improved));
  context_.BeginStage("verify");
  const Batch& batch = prepared.first_run.batch;
  const auto first = written.session->Run(batch.feeds, context_);
  if (!first.ok() && first.status().id() == ErrorId::kCancelled) return first.status();
  if (!first.ok()) return NotWritten(ErrorId::kVerifyRun, "the result fails on sample 0", first.status());
  QuantizeResult result{.samples = inputs.data.sample_count(),
                        .observed_tensors = static_cast<int64_t>(prepared.plan.ObservedTensors().size())};
  for (const auto& [tensor, activation] : prepared.plan.activations)
    result.shared_tensors += !activation.shares.empty();
  result.improved = std::move(improved);
  const FloatSide in_float{prepared.model.source_path, prepared.inputs, float_outputs,
                           compared.judging.open ? BatchLoopOptions().max_samples : kMaxComparedSamples};
  PREON_RETURN_IF_ERROR(CompareResult(prepared, inputs, in_float, compared, written, result));
  PREON_ASSIGN_OR_RETURN(result.dpu_costs, DpuCostsOf(prepared, batch, inputs, float_outputs));
  result.warnings = WarningsOf(result.compare);
  PREON_RETURN_IF_ERROR(MeasureLatencies(prepared.model, prepared.first_run.batch, written, result));
  const bool in_float16 = inputs_.float16 && prepared.float16 == Float16::kKeepIo;
  if (in_float16 || inputs_.to_nhwc) context_.BeginStage("verify");
  FinalForm form{.outputs = *first, .value_info = inputs_.write.value_info, .warnings = written.notes.warnings};
  Status formed = in_float16 ? GiveFloat16(written.quantized, batch, form, context_) : Status::Ok();
  if (formed.ok() && inputs_.to_nhwc) formed = GiveNhwc(written.quantized, *inputs_.to_nhwc, batch, form, context_);
  if (!formed.ok()) return std::move(formed).WithContext(inputs_.output, ": not written");
  PREON_ASSIGN_OR_RETURN(result.needs, NeededLibraries(written.quantized, context_));
  std::vector<std::string> warnings = inputs_.warnings;
  for (const auto* more : {&prepared.warnings, &written.notes.warnings, &result.warnings})
    warnings.insert(warnings.end(), more->begin(), more->end());
  result.warnings = std::move(warnings);
  result.placement = std::move(written.placement);
  for (std::string& warning : WarningsOfPositions(written.notes.positions))
    result.warnings.push_back(std::move(warning));
  result.positions = std::move(written.notes.positions);
  std::set<std::string> for_accuracy;
  for (const auto& [node, reason] : prepared.left_float)
    if (reason == FloatReason::kAccuracy) for_accuracy.insert(node);
  result.stored = StoredWeightsOf(prepared.model.graph, written.quantized.graph, for_accuracy);

  context_.DebugLines([&] { return LinesOfImproved(result.improved); });
  if (result.placement) context_.DebugLines([&] { return LinesOfNodes(*result.placement, result.computes_in_float); });
  context_.DebugLines([&] { return LinesOfWeights(prepared.plan); });
  context_.DebugLines([&] { return written.notes.activation_lines; });
  // Saving is deterministic: these are the bytes that were loaded and run above.
  context_.BeginStage("write");
  PREON_ASSIGN_OR_RETURN(StagedModel file,
                         StageModel(written.quantized, inputs_.output,
                                    {.external_data = inputs_.write.external_data, .inputs = prepared.external_files}));
  return QuantizedModel{std::move(result), std::move(file)};
}

}  // namespace preon
