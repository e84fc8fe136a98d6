#include <filesystem>

#include "api/verbs.h"
#include "data/open_data_source.h"
#include "ir/model_io.h"
#include "pipeline/calibrate_stage.h"
#include "pipeline/output.h"
#include "runtime/served_session.h"

namespace preon {
namespace {

// One sample is enough to see that the rewritten model computes what the source does.
void MakeUpSample(Job& job) {
  job.made_up_sample = true;
  job.open_samples = [](const std::vector<TensorSpec>& inputs, const SampleSelection&) {
    return OpenDataSource(DataOptions{.sources = {"random:1"}}, inputs);
  };
}

Result<PreparedModel> PrepareChecked(const std::string& model, Job& job) {
  PREON_ASSIGN_OR_RETURN(PreparedModel prepared, PrepareModel(model, job));
  const Status same = CheckRewrites(prepared, job);
  if (same.ok()) return prepared;
  if (same.id() != ErrorId::kPassFailed) return same;
  return PrepareVerifyingEachPass(model, job, same);
}

class NoObserver final : public TensorObserver {
 public:
  void Observe(size_t, const ObservedValue&, const ParallelFor&) override {}
};

// The packed model opens and runs as it will where it is served, and computes what the source does.
Status VerifyPacked(const PackedModel& packed, const PreparedModel& prepared, const Instrumentation& plan,
                    const Job& job) {
  NoObserver nobody;
  const ServedSessionOptions options{.tensors = packed.tensors,
                                     .observers = packed.observers,
                                     .weights_beside = packed.weights_beside,
                                     .optimize = packed.optimize,
                                     .session = {.threads = job.context.ThreadCount()}};
  PREON_ASSIGN_OR_RETURN(ServedSession session,
                         ServedSession::Open(packed.model, packed.block_model, options, &nobody, job.context));
  PREON_ASSIGN_OR_RETURN(const auto outputs, session.Run(prepared.first_run.batch.feeds, job.context, plan.outputs));
  return CheckRewrites(prepared, outputs);
}

}  // namespace

Result<InstrumentResult> InstrumentVerb(const std::string& model, Job& job) {
  const std::string& output = job.options.output;
  PREON_RETURN_IF_ERROR(CheckOutputs("instrument", job.options, {model}));
  PREON_RETURN_IF_ERROR(CheckObserves(job));
  if (!job.open_samples) MakeUpSample(job);
  PREON_ASSIGN_OR_RETURN(PreparedModel prepared, PrepareChecked(model, job));
  job.clock.Begin("instrument");
  Instrumentation plan = InstrumentationOf(prepared, job);
  if (plan.calib_out.empty()) plan.calib_out = std::filesystem::path(model).stem().string() + "-%p.calib";
  PREON_ASSIGN_OR_RETURN(const PackedModel packed,
                         PackForServing(prepared.model, plan.Observed(), job.options.calibration.observe.optimize));
  job.clock.Begin("verify");
  PREON_RETURN_IF_ERROR(VerifyPacked(packed, prepared, plan, job).WithContext(output, ": not written"));
  job.clock.Begin("write");
  PREON_RETURN_IF_ERROR(SaveModel(MakeInstrumented(prepared.model, plan, packed), output));
  InstrumentResult result{.facts = job.clock.Finish("instrument"),
                          .output = output,
                          .float_size_bytes = prepared.source_size_bytes,
                          .instrumented_size_bytes = FileSizeBytes(output),
                          .observed_tensors = static_cast<int64_t>(plan.tensors.size()),
                          .shared_tensors = static_cast<int64_t>(plan.header.shared.size()),
                          .calib_out = plan.calib_out,
                          .every = plan.every,
                          .warnings = prepared.warnings};
  if (packed.optimize && packed.observers == PackedObservers::kInPath) {
    result.warnings.push_back(
        "tensors in branches of an If are observed: serving is slower than calibrate, and the bulk of "
        "large tensors is sampled in other places");
  }
  return result;
}

}  // namespace preon
