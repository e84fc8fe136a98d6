#include "api/verbs.h"
#include "config/resolve/crypto_mode.h"
#include "ir/model_io.h"
#include "pipeline/calibrate_stage.h"
#include "pipeline/calibration_setup.h"
#include "pipeline/output.h"
#include "runtime/served/served_session.h"

namespace preon {
namespace {

Result<PreparedModel> PrepareChecked(const std::string& model, const ModelPreparation& preparation,
                                     const RunContext& context) {
  PREON_ASSIGN_OR_RETURN(PreparedModel prepared, preparation.Prepare(model));
  const Status same = CheckRewrites(prepared.model, prepared.first_run, context);
  if (same.ok()) return prepared;
  if (same.id() != ErrorId::kPassFailed) return same;
  return preparation.PrepareVerifyingEachPass(model, same);
}

class NoObserver final : public TensorObserver {
 public:
  void Observe(size_t, const ObservedValue&, const ParallelFor&) override {}
};

// The packed model opens and runs as it will where it is served, and computes what the source does. `names`: of its
// outputs.
Status VerifyPacked(const PackedModel& packed, const FirstRun& first_run, const std::vector<std::string>& names,
                    const RunContext& context) {
  NoObserver nobody;
  const ServedSessionOptions options{.tensors = packed.tensors,
                                     .observers = packed.observers,
                                     .weights_beside = packed.weights_beside,
                                     .optimize = packed.optimize,
                                     .session = {.threads = context.ThreadCount()}};
  PREON_ASSIGN_OR_RETURN(ServedSession session,
                         ServedSession::Open(packed.model, packed.block_model, options, &nobody, context));
  PREON_ASSIGN_OR_RETURN(const auto outputs, session.Run(first_run.batch.feeds, context, names));
  return CheckRewrites(first_run, outputs);
}

}  // namespace

Result<InstrumentResult> InstrumentVerb(const std::string& model, RunInputs& run) {
  PREON_RETURN_IF_ERROR(RefuseCryptoMode("instrument", run.options.crypto));
  const std::string& output = run.options.outputs.file;
  PREON_RETURN_IF_ERROR(CheckOutputs("instrument", run.options, {model}));
  PREON_RETURN_IF_ERROR(CheckObserves(*run.choices.target, run.choices.plan));
  // One sample is enough to see that the rewritten model computes what the source does.
  if (!run.samples.open) run.samples = MadeUpSamples();
  const ModelPreparation preparation = run.Preparation();
  PREON_ASSIGN_OR_RETURN(PreparedModel prepared, PrepareChecked(model, preparation, run.context));
  PREON_RETURN_IF_ERROR(CheckNotInputs(run.options.outputs, prepared.external_files));
  run.context.BeginStage("instrument");
  Instrumentation plan =
      run.Calibration(preparation).InstrumentationOf(prepared, prepared.float16, run.options.instrument);
  PREON_ASSIGN_OR_RETURN(const PackedModel packed,
                         PackForServing(prepared.model, plan.Observed(), run.options.calibration.observe.optimize));
  // What the observer library will refuse had better be said now.
  PREON_RETURN_IF_ERROR(ParseDescription(WriteDescription(plan, packed)).status().WithContext(model));
  run.context.BeginStage("verify");
  PREON_RETURN_IF_ERROR(
      VerifyPacked(packed, prepared.first_run, plan.outputs, run.context).WithContext(output, ": not written"));
  run.context.BeginStage("write");
  PREON_RETURN_IF_ERROR(
      SaveModel(MakeInstrumented(prepared.model, plan, packed), output, {.inputs = prepared.external_files}));
  InstrumentResult result{.facts = RunFactsOf(run.context, "instrument"),
                          .output = output,
                          .float_size_bytes = prepared.source_size_bytes,
                          .instrumented_size_bytes = FileSizeBytes(output),
                          .observed_tensors = static_cast<int64_t>(plan.request.tensors.size()),
                          .shared_tensors = static_cast<int64_t>(plan.header.shared.size()),
                          .calib_out = run.options.instrument.calib_out,
                          .every = plan.every,
                          .warnings = prepared.warnings};
  if (packed.optimize && packed.observers == PackedObservers::kInPath) {
    result.warnings.push_back(
        "the model observes tensors in branches of an If: its runs are slower than those of calibrate, and statistics "
        "of "
        "large tensors may differ slightly, because other values are sampled");
  }
  return result;
}

}  // namespace preon
