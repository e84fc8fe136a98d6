#include "api/candidates.h"

#include "api/quantize_for_target.h"
#include "api/run_with.h"
#include "api/verbs.h"

namespace preon {
Result<std::string> CollectStatistics(const std::string& model, const Options& settings, const Samples& samples,
                                      std::string_view name, RunInputs& run, const TempDir& folder) {
  PREON_ASSIGN_OR_RETURN(const Choices choices, Resolve(settings, run.builtins));
  if (!choices.target->NeedsStatistics(choices.plan)) return std::string();
  Options options = settings;
  options.outputs = {.file = folder.File(StrCat(name, ".calib"))};
  const auto calibrate = [&](RunInputs& again) { return CalibrateVerb(model, again); };
  PREON_RETURN_IF_ERROR(RunWith(options, samples, run, calibrate).status());
  return options.outputs.file;
}

Result<QuantizeResult> MakeCandidate(const std::string& model, const Candidate& candidate, const Samples& samples,
                                     const std::string& statistics, RunInputs& run, const TempDir& folder) {
  Options options = candidate.settings;
  options.outputs = {.file = folder.File("candidate.onnx")};
  PREON_ASSIGN_OR_RETURN(const Choices choices, Resolve(options, run.builtins));
  // An algorithm that rewrites the float model first wants statistics of its own.
  const bool shares = choices.algorithms.offered.empty() && choices.target->NeedsStatistics(choices.plan);
  if (shares) options.calib = statistics;
  options.requirements.clear();
  if (candidate.written == WrittenWhen::kAlways) {
    options.latency_seconds = 0;
    options.write.always = true;
  }
  const Judgement only_with_gain{.without_gain = WithoutGain::kIsRefused};
  return RunWith(options, samples, run, [&](RunInputs& again) {
    return candidate.written == WrittenWhen::kWithGain ? QuantizeForTarget(model, again, only_with_gain)
                                                       : QuantizeForBestTarget(model, again);
  });
}

}  // namespace preon
