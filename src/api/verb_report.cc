// One page from validate, sensitivity and analyze, by one calibration: docs/design/report.md.
#include <filesystem>

#include "api/candidates.h"
#include "api/judge/pasted_command.h"
#include "api/run_with.h"
#include "api/verbs.h"
#include "base/file.h"
#include "base/output/commit.h"
#include "base/text.h"
#include "calib/calibration.h"
#include "config/json_text.h"
#include "data/media_folder.h"
#include "pipeline/output.h"
#include "ranges/range_methods.h"
#include "report/html/analysis_page.h"
#include "report/html/full_page.h"
#include "report/html/saved_page.h"
#include "report/html/stage_report.h"
#include "report/saved_tables.h"

namespace preon {
namespace {

constexpr int64_t kMostPictureBytes = 90'000;  // of each

std::string ReportCommand(const std::vector<std::string>& models, const std::string& config_file,
                          const std::vector<Setting>& given) {
  std::string command = "preon report";
  for (const std::string& model : models) command += " " + ShellWord(model);
  return WithGivenOptions(std::move(command), config_file, given, {});
}

// Those that are small enough for a page. A sample out of a folder has the name of its file.
std::map<std::string, std::string> PicturesOf(const std::vector<ChangedSample>& samples) {
  std::map<std::string, std::string> pictures;
  for (const ChangedSample& sample : samples) {
    std::error_code failed;
    const bool shows =
        MediaKindOf(sample.name) == MediaKind::kImage && std::filesystem::is_regular_file(sample.name, failed);
    if (!shows || FileSizeBytes(sample.name) > kMostPictureBytes) continue;
    if (Result<std::string> bytes = ReadFile(sample.name); bytes.ok()) pictures[sample.name] = *std::move(bytes);
  }
  return pictures;
}

// Of a model that quantize writes for another target than the one that sensitivity looks at.
std::string WrittenInstead(const WrittenTarget& written) {
  std::string reasons;
  for (const PassedOver& passed : written.passed_over)
    reasons += StrCat(reasons.empty() ? "" : "; ", "with target ", passed.target, " ", passed.reason);
  return StrCat("quantize writes target ", written.target, " here, because ", reasons, "; target ", written.target,
                " has no fixed scales of activations, so there are no figures of its layers");
}

// "" where the layers are those of the model that the verdict is about.
std::string ScopeOf(const std::vector<std::string>& models, const std::string& judged, const WrittenTarget& written,
                    std::string_view looked_at) {
  if (models.size() > 1)
    return StrCat("these layers are of preon's own quantization of ", models.front(), ", not of ", judged,
                  ", which the verdict is about");
  if (written.target == looked_at) return "";
  return StrCat("these layers are of target ", looked_at, ", but ", WrittenInstead(written));
}

Status AddSensitivity(const std::vector<std::string>& models, const std::string& statistics, RunInputs& run,
                      FullReport& report) {
  Options options = run.options;
  options.outputs = {};
  options.calib = statistics;
  Result<SensitivityResult> result =
      RunWith(options, run.samples, run, [&](RunInputs& again) { return SensitivityVerb(models.front(), again); });
  if (!result.ok() && result.status().id() == ErrorId::kCancelled) return result.status();
  const WrittenTarget& written = report.validated.written;
  if (!result.ok()) {
    report.why_no_sensitivity = result.status().message();
    if (!written.passed_over.empty()) report.why_no_sensitivity += "; " + WrittenInstead(written);
    return Status::Ok();
  }
  report.sensitivity = *std::move(result);
  report.sensitivity->scope =
      ScopeOf(models, report.validated.models[report.validated.judged].name, written, report.sensitivity->target);
  return Status::Ok();
}

// The page's ranges are those of one method, so `auto` gives way to what needs no trials.
Result<AnalyzeResult> AnalyzeCalibration(const std::string& model, const std::string& statistics, RunInputs& run) {
  Options options = run.options;
  options.outputs = {};
  if (options.ranges.method == "auto") {
    options.ranges.method = kMethodWithoutTrials;
    options.ranges.method_options.clear();
  }
  PREON_ASSIGN_OR_RETURN(AnalyzeResult result, RunWith(options, run.samples, run, [&](RunInputs& again) {
                           return AnalyzeVerb(statistics, again);
                         }));
  result.calib = model;
  return result;
}

// @param why  of a file that needs no samples
Status RefuseSamples(const SourceOptions& from, const std::string& file, const char* why) {
  if (!from.has_samples()) return Status::Ok();
  return Error(ErrorId::kConflictingOptions, from.inputs.empty() ? "--data" : "--input", ": has no effect with ", file,
               ", which ", why, "; wanted a model in addition to samples");
}

Result<AnalyzeResult> ReportOfStatistics(const std::string& calib, RunInputs& run) {
  PREON_RETURN_IF_ERROR(RefuseSamples(run.options.data.from, calib, "holds the statistics of the samples"));
  PREON_ASSIGN_OR_RETURN(AnalyzeResult result, AnalyzeCalibration(calib, calib, run));
  result.facts = RunFactsOf(run.context, "report");
  PREON_RETURN_IF_ERROR(WriteReport(result, run.options.outputs.file, run.options.given.shown_as));
  return result;
}

Result<SavedResult> ReportOfResult(const std::string& file, const std::string& output, const RunContext& context) {
  PREON_ASSIGN_OR_RETURN(const std::string text, ReadFile(file));
  if (const auto parsed = ParseJson(text); !parsed.ok())
    return Error(ErrorId::kResultUnusable, file, ": ", parsed.status().message());
  Result<SavedContent> content = ReadSavedResult(text);
  if (!content.ok()) return std::move(content).status().WithContext(file);
  SavedResult result{RunFactsOf(context, "report"), file, output, *std::move(content)};
  PREON_RETURN_IF_ERROR(WriteReport(result, output, {}));
  return result;
}

Result<FullReport> ReportOfModels(const std::vector<std::string>& models, RunInputs& run) {
  const Options& options = run.options;
  if (!run.samples.open || run.samples.made_up()) return MissingData("report", "--data SRC");
  FullReport report{.output = options.outputs.file};
  const bool in_memory = run.samples.origin == SampleOrigin::kCaller || !options.given.shown_as.empty();
  if (!in_memory) report.command = ReportCommand(models, options.given.config_file, options.given.settings);
  PREON_ASSIGN_OR_RETURN(const TempDir folder, TempDir::Create(run.context.TempDir()));
  PREON_ASSIGN_OR_RETURN(report.validated, ValidateIn(folder, models, run));
  std::string statistics = StatisticsOfValidate(folder);
  if (!std::filesystem::exists(statistics)) {
    PREON_ASSIGN_OR_RETURN(statistics, CollectStatistics(models.front(), run.options, run.samples, "all", run, folder));
  }
  PREON_RETURN_IF_ERROR(AddSensitivity(models, statistics, run, report));
  if (!statistics.empty()) {
    PREON_ASSIGN_OR_RETURN(report.analysis, AnalyzeCalibration(models.front(), statistics, run));
  }
  const ValidatedModel& judged = report.validated.models[report.validated.judged];
  report.pictures = PicturesOf(judged.compare.most_changed);
  PREON_ASSIGN_OR_RETURN(const DoctorResult machine, DoctorVerb(run));
  report.machine = {machine.cpu, machine.cpu_features, machine.kernels, machine.threads, machine.runtime_version};
  report.facts = RunFactsOf(run.context, "report");
  PREON_RETURN_IF_ERROR(WriteReport(report, report.output, options.given.shown_as));
  return report;
}

}  // namespace

Result<AnyReport> ReportVerb(const std::vector<std::string>& models, RunInputs& run) {
  using Either = Result<AnyReport>;
  PREON_RETURN_IF_ERROR(CheckOutputs(run.options, models));
  const std::string& output = run.options.outputs.file;
  if (!output.empty()) PREON_RETURN_IF_ERROR(ReportFormatOf(output).status().WithContext("--output"));
  for (const std::string& file : models) {
    if (file.ends_with(".json")) {
      if (models.size() > 1)
        return Error(ErrorId::kConflictingOptions, file, ": is a result; wanted it alone, or models only");
      PREON_RETURN_IF_ERROR(RefuseSamples(run.options.data.from, file, "is a result"));
      PREON_ASSIGN_OR_RETURN(SavedResult result, ReportOfResult(file, output, run.context));
      return Either(std::move(result));
    }
    if (!file.ends_with(".calib") && !IsCalibFile(file)) continue;
    if (models.size() > 1)
      return Error(ErrorId::kConflictingOptions, file, ": is a file of statistics; wanted it alone, or models only");
    PREON_ASSIGN_OR_RETURN(AnalyzeResult result, ReportOfStatistics(file, run));
    return Either(std::move(result));
  }
  PREON_ASSIGN_OR_RETURN(FullReport report, ReportOfModels(models, run));
  return Either(std::move(report));
}

}  // namespace preon
