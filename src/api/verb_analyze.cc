#include "api/save_histograms.h"
#include "api/verbs.h"
#include "base/output/commit.h"
#include "base/version.h"
#include "config/resolve/crypto_mode.h"
#include "pipeline/calibration_setup.h"
#include "pipeline/output.h"
#include "report/html/analysis_page.h"

namespace preon {
namespace {

Result<std::optional<CalibrationData>> LoadProduction(const CalibrationData& calibration, const std::string& path) {
  if (path.empty()) return std::optional<CalibrationData>();
  PREON_ASSIGN_OR_RETURN(CalibrationData production, LoadCalibration(path));
  PREON_RETURN_IF_ERROR(CheckComparable(production, calibration).WithContext(path));
  return std::optional(std::move(production));
}

// Questions that only statistics per sample answer.
Status CheckSampleQuestions(const AnalysisOptions& analysis, const std::string& cover) {
  const std::pair<bool, const char*> questions[] = {{analysis.group_by.has_value(), "--group-by"},
                                                    {analysis.tolerance.has_value(), "--tolerance"},
                                                    {!cover.empty(), "--cover"}};
  for (const auto& [asked, name] : questions) {
    if (!asked) continue;
    return Error(ErrorId::kCalibFileMismatch, name, ": the file has no statistics per sample")
        .WithHint("make it with calibrate --per-sample; merge keeps the samples where all parts have them");
  }
  return Status::Ok();
}

}  // namespace

Result<AnalyzeResult> AnalyzeVerb(const std::string& calib, RunInputs& run) {
  PREON_RETURN_IF_ERROR(RefuseCryptoMode("analyze", run.options.crypto));
  const Options& options = run.options;
  PREON_RETURN_IF_ERROR(CheckOutputs(options, {calib}));
  if (run.choices.method->collects()) return NeedsValues(run.choices.method->name());
  run.context.BeginStage("load");
  PREON_ASSIGN_OR_RETURN(const CalibrationData data, LoadCalibration(calib, run.context.ThreadCount()));
  if (!data.per_sample)
    PREON_RETURN_IF_ERROR(CheckSampleQuestions(options.analysis, options.outputs.cover).WithContext(calib));
  PREON_ASSIGN_OR_RETURN(const std::optional<CalibrationData> production,
                         LoadProduction(data, options.analysis.production));
  run.context.BeginStage("analyze");
  PREON_ASSIGN_OR_RETURN(const IntFormat format,
                         RangeFormat(options.plan.activation, options.plan.activation_symmetric));
  AnalyzeOptions how{.methods = run.builtins.methods,
                     .chosen = *run.choices.method,
                     .format = format,
                     .samples = {.group_by = options.analysis.group_by}};
  if (options.analysis.tolerance) how.samples.tolerance = *options.analysis.tolerance;
  Result<Analysis> analysis = Analyze(data, production ? &*production : nullptr, how);
  if (!analysis.ok())
    return std::move(analysis).status().WithContext(options.analysis.production.empty() ? calib
                                                                                        : options.analysis.production);
  AnalyzeResult result{.facts = {.version = std::string(kVersion)},  // the page tells it
                       .calib = calib,
                       .production = options.analysis.production,
                       .html = options.outputs.html,
                       .cover = options.outputs.cover,
                       .samples = data.sample_count(),
                       .production_samples = production ? production->sample_count() : 0,
                       .method = std::string(how.chosen.name()),
                       .activation = std::string(DataTypeName(how.format.type)),
                       .analysis = *std::move(analysis)};
  if (!options.outputs.html.empty() || !options.outputs.cover.empty()) run.context.BeginStage("write");
  std::vector<AtomicFile> outputs;
  if (!options.outputs.html.empty()) {
    PREON_ASSIGN_OR_RETURN(AtomicFile html, StageFile(options.outputs.html, AnalysisPage(result)));
    outputs.push_back(std::move(html));
  }
  if (!options.outputs.cover.empty()) {
    if (!result.analysis.samples) return Error(ErrorId::kRangeMissing, calib, ": --cover: no tensor has values");
    PREON_ASSIGN_OR_RETURN(AtomicFile cover, StageFile(options.outputs.cover, CoverList(*result.analysis.samples)));
    outputs.push_back(std::move(cover));
  }
  const auto histograms = [&] {
    return options.outputs.histograms.empty() ? Status::Ok()
                                              : WriteHistograms(result.analysis, options.outputs.histograms);
  };
  PREON_RETURN_IF_ERROR(CommitAll(outputs, histograms));
  result.facts = RunFactsOf(run.context, "analyze");
  return result;
}

}  // namespace preon
