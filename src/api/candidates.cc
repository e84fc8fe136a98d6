#include "api/candidates.h"

#include "api/run_with.h"
#include "api/verbs.h"
#include "data/held_out.h"
#include "data/open_data_source.h"

namespace preon {
Result<std::string> CollectStatistics(const std::string& model, const Samples& samples, std::string_view name,
                                      RunInputs& run, const TempDir& folder) {
  if (!run.choices.target->NeedsStatistics(run.choices.plan)) return std::string();
  Options options = run.options;
  options.outputs = {.file = folder.File(StrCat(name, ".calib"))};
  const auto calibrate = [&](RunInputs& again) { return CalibrateVerb(model, again); };
  PREON_RETURN_IF_ERROR(RunWith(options, samples, run, calibrate).status());
  return options.outputs.file;
}

Result<QuantizeResult> MakeCandidate(const std::string& model, const Candidate& candidate, const Samples& samples,
                                     const std::string& statistics, RunInputs& run, const TempDir& folder) {
  Options options = candidate.settings;
  options.outputs = {.file = folder.File("candidate.onnx")};
  options.calib = statistics;
  options.requirements.clear();
  options.latency_seconds = 0;
  options.write.always = true;
  return RunWith(options, samples, run, [&](RunInputs& again) { return QuantizeVerb(model, again); });
}

Samples EvalSamples(const DataOptions& options) {
  return {[&options](const std::vector<TensorSpec>& inputs, const SampleSelection& selection) {
    return OpenDataSource(options, inputs, selection);
  }};
}

Result<SplitSamples> SplitOf(const Samples& samples, const std::vector<TensorSpec>& inputs) {
  PREON_ASSIGN_OR_RETURN(std::unique_ptr<DataSource> source, samples.open(inputs, {}));
  source = MarkHeldOut(Prefetch(std::move(source)));
  SplitSamples split;
  while (true) {
    PREON_ASSIGN_OR_RETURN(const std::optional<Batch> batch, source->Next());
    if (!batch) break;
    AddSamplesOf(*batch, batch->held_out ? split.held_out : split.used);
  }
  PREON_ASSIGN_OR_RETURN(split.used, Canonical(std::move(split.used)));
  PREON_ASSIGN_OR_RETURN(split.held_out, Canonical(std::move(split.held_out)));
  return split;
}

}  // namespace preon
