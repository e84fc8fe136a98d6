// The public library: preon.h's types to and from the pipeline's. No logic of its own.
#include "preon/preon.h"

#include <algorithm>
#include <map>
#include <utility>
#include <variant>

#include "api/caller/given_options.h"
#include "api/caller/reader_source.h"
#include "api/named_by_key.h"
#include "api/verbs.h"
#include "base/exceptions.h"
#include "base/spelling.h"
#include "base/text.h"
#include "base/version.h"
#include "config/option_table.h"
#include "report/html/shown_names.h"
#include "report/json.h"
#include "report/text_report.h"

namespace preon {
namespace {

Failure ToFailure(const Status& status, const ShownNames& names) {
  const ErrorInfo& error = GetErrorInfo(status.id());
  const auto shown = [&](const std::string& text) { return WithShownNames(text, names); };
  return {error.number, error.exit_status, shown(status.message()), shown(status.hint())};
}

// A path ends at its first zero byte: it would name another file than the caller does.
Status CheckPath(std::string_view what, const std::string& path) {
  if (path.find('\0') == std::string::npos) return Status::Ok();
  return Error(ErrorId::kBadOptionValue, what, ": got a path with a zero byte");
}

Status CheckPaths(std::string_view what, const std::vector<std::string>& paths) {
  for (const std::string& path : paths) PREON_RETURN_IF_ERROR(CheckPath(what, path));
  return Status::Ok();
}

// What `callback` throws comes back as a failure that names it.
template <typename Result, typename... Args>
std::function<Result(Args...)> Named(const char* name, const std::function<Result(Args...)>& callback) {
  if (!callback) return callback;
  return [name, callback](Args... args) -> Result {
    try {
      return callback(std::forward<Args>(args)...);
    } catch (const std::exception& problem) {
      throw CallbackError(name, problem.what());
    } catch (...) {
      throw CallbackError(name, "of a type that is not derived from std::exception");
    }
  };
}

QuantizeOptions WithNamedCallbacks(QuantizeOptions options) {
  options.reader = Named("reader", options.reader);
  options.reader_inputs = Named("reader_inputs", options.reader_inputs);
  options.progress = Named("progress", options.progress);
  options.log = Named("log", options.log);
  options.precision_distance = Named("precision_distance", options.precision_distance);
  return options;
}

// Workers are processes of their own, which can't call a reader of this one.
void CalibrateInThisProcess(Options& options) {
  int64_t& workers = options.calibration.workers.count;
  if (workers > 1)
    options.given.warnings.push_back("workers: one process is used, since only this one can call its reader");
  workers = 1;
}

std::optional<ClassAccuracy> ToPublic(const std::optional<Accuracy>& accuracy) {
  if (!accuracy) return std::nullopt;
  return ClassAccuracy{accuracy->top1, accuracy->top5};
}

Report ToPublic(const QuantizeResult& result) {
  Report report{.output = result.output,
                .float_size_bytes = result.float_size_bytes,
                .quantized_size_bytes = result.quantized_size_bytes,
                .samples = result.samples,
                .observed_tensors = result.observed_tensors,
                .argmax_agreement = result.compare.argmax_agreement,
                .float_accuracy = ToPublic(result.compare.reference_accuracy),
                .quantized_accuracy = ToPublic(result.compare.other_accuracy),
                .warnings = result.warnings,
                .seconds = result.facts.total_seconds,
                .peak_rss_bytes = result.facts.peak_rss_bytes,
                .text = ToText(result),
                .json = ToJson(result)};
  if (result.placement) {
    report.integer_nodes = static_cast<int64_t>(result.placement->integer.size());
    report.float_nodes = static_cast<int64_t>(result.placement->float_nodes.size());
    report.integer_macs_share = result.placement->integer_macs_share;
  }
  for (const auto& [name, output] : result.compare.outputs) {
    if (!output.left_out) report.outputs[name] = {output.sqnr_db, output.cosine, output.l2, output.max_abs};
  }
  return report;
}

Report ToPublic(const CryptoRunResult& result) {
  return {.output = result.output,
          .quantized_size_bytes = result.size_bytes,
          .warnings = result.warnings,
          .seconds = result.facts.total_seconds,
          .peak_rss_bytes = result.facts.peak_rss_bytes,
          .text = ToText(result),
          .json = ToJson(result)};
}

CalibrationReport ToPublic(const CalibrateResult& result) {
  return {.output = result.output,
          .samples = result.samples,
          .observed_tensors = result.observed_tensors,
          .shared_tensors = result.shared_tensors,
          .seconds = result.facts.total_seconds,
          .text = ToText(result),
          .json = ToJson(result)};
}

template <typename R>
Answer ToAnswer(const R& result) {
  return {ToText(result), ToJson(result)};
}

template <typename... R>
Answer ToAnswer(const std::variant<R...>& result) {
  return std::visit([](const auto& one) { return ToAnswer(one); }, result);
}

// A setting that the verb would not look at is a mistake of the caller.
Status CheckTaken(const QuantizeOptions& given, Verb verb, std::string_view verb_name) {
  std::vector<std::string> taken;
  if ((verb & kVerbsWithConfig) != 0) taken.emplace_back("config");
  for (const OptionSpec& option : OptionTable()) {
    if ((option.verbs & verb) != 0) taken.emplace_back(option.name);
  }
  for (const auto& [name, ignored] : given.settings) {
    if (std::ranges::find(taken, name) == taken.end())
      return Error(ErrorId::kUnknownOption, verb_name, ": no option '", name, "'", DidYouMean(name, taken));
  }
  return Status::Ok();
}

// Of a run with the key DebugMode. @param given  outlives it
void TakeLog(const QuantizeOptions& given, RunContext& context, std::vector<std::string>& warnings) {
  if (!given.log) {
    warnings.push_back("DebugMode: has no effect, because the calling program takes no lines of a log");
    return;
  }
  context.log_level = LogLevel::kDebug;
  context.log = [&given](LogLevel level, std::string_view message) {
    given.log(
        StrCat(level == LogLevel::kWarning ? "warning: " : "", WithShownNames(Printable(message), given.shown_as)));
  };
}

template <typename Body>
auto RunVerbWith(const QuantizeOptions& options_given,
                 const Body& verb) -> decltype(verb(options_given.model, std::declval<RunInputs&>())) {
  const QuantizeOptions given = WithNamedCallbacks(options_given);
  PREON_RETURN_IF_ERROR(CheckPath("model", given.model));
  PREON_ASSIGN_OR_RETURN(Options options, ToOptions(given));
  options.given.shown_as = given.shown_as;
  if (given.reader) CalibrateInThisProcess(options);
  const Builtins builtins = MakeBuiltins();
  RunContext context{
      .threads = options.resources.threads, .tmp_dir = options.resources.tmp_dir, .cancel = given.cancel};
  if (given.progress) {
    context.progress = [&given](const Progress& progress) {
      given.progress(std::string(progress.stage), progress.done, progress.total);
    };
  }
  if (options.debug) TakeLog(given, context, options.given.warnings);
  const SettingOrigins& origins = options.given.origins;
  Result<RunInputs> run =
      MakeRunInputs(options, builtins, context,
                    given.reader ? SourceOfReader(given, options.data.limit, options.data.shard) : OpenSamples());
  if (!run.ok()) return NamedByKey(std::move(run).status(), origins);
  return WithKeyNames(verb(given.model, *run), origins);
}

// The library's edge: nothing is thrown across it.
template <typename Public, typename Body>
Outcome<Public> Guarded(const ShownNames& names, const Body& body) {
  try {
    Result<Public> result = body();
    if (!result.ok()) return ToFailure(result.status(), names);
    for (std::string* told : {&result->text, &result->json}) *told = WithShownNames(std::move(*told), names);
    return *std::move(result);
  } catch (const std::exception& problem) {
    return ToFailure(StatusOf(problem), names);
  }
}

template <typename Body>
Outcome<Answer> Answered(const QuantizeOptions& options, Verb verb, std::string_view name, const Body& body) {
  return Guarded<Answer>(options.shown_as, [&]() -> Result<Answer> {
    PREON_RETURN_IF_ERROR(CheckTaken(options, verb, name));
    PREON_ASSIGN_OR_RETURN(const auto result, RunVerbWith(options, body));
    return ToAnswer(result);
  });
}

// A verb over the model and quantized ones.
template <typename Verb>
auto OfModels(const std::vector<std::string>& quantized, const Verb& verb) {
  return [&](const std::string& model, RunInputs& run) -> decltype(verb(quantized, run)) {
    PREON_RETURN_IF_ERROR(CheckPaths("quantized", quantized));
    std::vector<std::string> models = {model};
    models.insert(models.end(), quantized.begin(), quantized.end());
    return verb(models, run);
  };
}

// "" is none.
std::vector<std::string> AtMostOne(const std::string& quantized) {
  return quantized.empty() ? std::vector<std::string>() : std::vector{quantized};
}

}  // namespace

std::string Version() { return std::string(kVersion); }

Outcome<Report> Quantize(const QuantizeOptions& options) {
  return Guarded<Report>(options.shown_as, [&]() -> Result<Report> {
    PREON_RETURN_IF_ERROR(CheckTaken(options, kVerbQuantize, "quantize"));
    PREON_ASSIGN_OR_RETURN(const auto result, RunVerbWith(options, QuantizeVerb));
    return std::visit([](const auto& one) { return ToPublic(one); }, result);
  });
}

Outcome<CalibrationReport> Calibrate(const QuantizeOptions& options) {
  return Guarded<CalibrationReport>(options.shown_as, [&]() -> Result<CalibrationReport> {
    PREON_RETURN_IF_ERROR(CheckTaken(options, kVerbCalibrate, "calibrate"));
    PREON_ASSIGN_OR_RETURN(const CalibrateResult result, RunVerbWith(options, CalibrateVerb));
    return ToPublic(result);
  });
}

Outcome<Answer> Ranges(const QuantizeOptions& options) { return Answered(options, kVerbRanges, "ranges", RangesVerb); }

Outcome<Answer> Analyze(const QuantizeOptions& options) {
  return Answered(options, kVerbAnalyze, "analyze", AnalyzeVerb);
}

Outcome<Answer> Merge(const QuantizeOptions& options, const std::vector<std::string>& files) {
  return Answered(options, kVerbMerge, "merge",
                  [&](const std::string&, RunInputs& run) -> decltype(MergeVerb(files, run)) {
                    PREON_RETURN_IF_ERROR(CheckPaths("files", files));
                    return MergeVerb(files, run);
                  });
}

Outcome<Answer> RunStatus(const QuantizeOptions& options) {
  const auto status = [](const std::string& path, const RunInputs& run) { return StatusVerb(path, run.context); };
  return Answered(options, Verb{}, "status", status);
}

Outcome<Answer> Run(const QuantizeOptions& options) { return Answered(options, kVerbRun, "run", RunVerb); }
Outcome<Answer> Inspect(const QuantizeOptions& options) {
  const auto inspect = [](const std::string& path, const RunInputs& run) { return InspectVerb(path, run.context); };
  return Answered(options, kVerbInspect, "inspect", inspect);
}

Outcome<Answer> Instrument(const QuantizeOptions& options) {
  return Answered(options, kVerbInstrument, "instrument", InstrumentVerb);
}

Outcome<Answer> Passes(const QuantizeOptions& options) { return Answered(options, kVerbPasses, "passes", PassesVerb); }

Outcome<Answer> Lint(const QuantizeOptions& options) { return Answered(options, kVerbLint, "lint", LintVerb); }

Outcome<Answer> Sensitivity(const QuantizeOptions& options) {
  return Answered(options, kVerbSensitivity, "sensitivity", SensitivityVerb);
}

Outcome<Answer> MakeReport(const QuantizeOptions& options, const std::vector<std::string>& quantized) {
  return Answered(options, kVerbReport, "report", OfModels(quantized, ReportVerb));
}

Outcome<Answer> MakeReport(const QuantizeOptions& options, std::initializer_list<std::string> quantized) {
  return MakeReport(options, std::vector<std::string>(quantized));
}

Outcome<Answer> MakeReport(const QuantizeOptions& options, const std::string& quantized) {
  return MakeReport(options, AtMostOne(quantized));
}

Outcome<Answer> Validate(const QuantizeOptions& options, const std::vector<std::string>& quantized) {
  return Answered(options, kVerbValidate, "validate", OfModels(quantized, ValidateVerb));
}

Outcome<Answer> Validate(const QuantizeOptions& options, std::initializer_list<std::string> quantized) {
  return Validate(options, std::vector<std::string>(quantized));
}

Outcome<Answer> Validate(const QuantizeOptions& options, const std::string& quantized) {
  return Validate(options, AtMostOne(quantized));
}

Outcome<Answer> Retarget(const QuantizeOptions& options) {
  return Answered(options, kVerbRetarget, "retarget", RetargetVerb);
}

Outcome<Answer> ExportQat(const QuantizeOptions& options) {
  return Answered(options, kVerbExportQat, "export-qat", ExportQatVerb);
}

Outcome<Answer> Encrypt(const QuantizeOptions& options) {
  return Answered(options, kVerbEncrypt, "encrypt", EncryptVerb);
}

Outcome<Answer> Decrypt(const QuantizeOptions& options) {
  return Answered(options, kVerbDecrypt, "decrypt", DecryptVerb);
}

Outcome<Answer> Search(const QuantizeOptions& options) { return Answered(options, kVerbSearch, "search", SearchVerb); }

Outcome<Answer> Diff(const QuantizeOptions& options, const std::string& other) {
  const auto verb = [&](const std::string& model, RunInputs& run) -> Result<DiffResult> {
    PREON_RETURN_IF_ERROR(CheckPath("other", other));
    return DiffVerb(model, other, run);
  };
  return Answered(options, kVerbDiff, "diff", verb);
}

Outcome<Answer> Compare(const QuantizeOptions& options, const std::string& quantized) {
  const auto verb = [&](const std::string& model, RunInputs& run) -> Result<CompareResult> {
    PREON_RETURN_IF_ERROR(CheckPath("quantized", quantized));
    return CompareVerb(model, quantized, run);
  };
  return Answered(options, kVerbCompare, "compare", verb);
}

}  // namespace preon
