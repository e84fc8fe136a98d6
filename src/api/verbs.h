// One function per verb of the command line: options in, result struct out. No output, no exit.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "pipeline/run_inputs.h"
#include "report/results/crypt_result.h"
#include "report/results/diff_result.h"
#include "report/results/export_result.h"
#include "report/results/full_report.h"
#include "report/results/results.h"
#include "report/results/retarget_result.h"
#include "report/results/saved_result.h"
#include "report/results/search_result.h"
#include "report/results/sensitivity_result.h"
#include "report/results/validated.h"
#include "report/shards.h"

namespace preon {

/// With a target that was not asked for by name, others are tried where nothing is gained. Encrypted models, and those
/// of the key CryptoMode: crypto/crypto_run.h. Errors: kNothingToGain.
Result<std::variant<QuantizeResult, CryptoRunResult>> QuantizeVerb(const std::string& model, RunInputs& run);
Result<CalibrateResult> CalibrateVerb(const std::string& model, RunInputs& run);
/// Writes the model that collects, wherever it is served, what CalibrateVerb would collect of the same samples.
Result<InstrumentResult> InstrumentVerb(const std::string& model, RunInputs& run);
/// `files`: statistics, or the one description of a run, all of whose shards must be done.
Result<MergeResult> MergeVerb(const std::vector<std::string>& files, RunInputs& run);
/// Of the shards of a run, by its description (docs/design/shards.md).
Result<StatusResult> StatusVerb(const std::string& description, const RunContext& context);
/// Of statistics; with samples, of a model, in one pass. Also writes them as JSON to `options.outputs.file` where that
/// is given.
Result<RangesResult> RangesVerb(const std::string& path, RunInputs& run);
/// Also writes a page to `options.outputs.html` where that is given.
Result<AnalyzeResult> AnalyzeVerb(const std::string& calib, RunInputs& run);
/// A model, or (name ending in .calib) the statistics of one.
Result<std::variant<ModelSummary, CalibSummary>> InspectVerb(const std::string& path, const RunContext& context);
/// Rewrites a float or quantized model by the passes named in the options, and writes `options.outputs.file`.
/// Errors: kUnknownOption; what a pass reports.
Result<PassesResult> PassesVerb(const std::string& model, RunInputs& run);
/// Plain inference of the file as it is: the baseline of the calibration benchmark, so nothing but reading and running.
Result<RunResult> RunVerb(const std::string& model, RunInputs& run);
Result<CompareResult> CompareVerb(const std::string& reference, const std::string& other, RunInputs& run);
/// With `options.fix` also writes `options.outputs.file`. Errors: kNotQuantized; kNothingToGain: nothing to fix.
Result<LintResult> LintVerb(const std::string& model, RunInputs& run);
/// What differs between two models of any tools; with samples also their outputs. Writes nothing.
Result<DiffResult> DiffVerb(const std::string& a, const std::string& b, RunInputs& run);
/// Another form of a quantized model of any tool, with the same codes. Errors: kNothingToGain where it has that form.
Result<RetargetResult> RetargetVerb(const std::string& path, RunInputs& run);
/// Writes the folder `options.outputs.file`: what training goes on from, of a quantized model of any tool. Errors:
/// kNotQuantized, kNotYetSupported.
Result<ExportResult> ExportQatVerb(const std::string& path, RunInputs& run);
/// Writes `options.outputs.file`: the model's file, encrypted (base/cipher/sealed_file.h). Errors: those of LoadModel
/// and of the key; kNotYetSupported for a model with external data.
Result<CryptResult> EncryptVerb(const std::string& path, RunInputs& run);
/// The way back, also of files that AMD Quark has encrypted. Errors: kNotDecrypted, those of the key.
Result<CryptResult> DecryptVerb(const std::string& path, RunInputs& run);
/// `models`: the float model and quantized ones, of any tool; without those, several forms of the float model are made.
Result<ValidateResult> ValidateVerb(const std::vector<std::string>& models, RunInputs& run);
/// Of the model as `quantize` would write it without layers left in float for accuracy; writes nothing.
Result<SensitivityResult> SensitivityVerb(const std::string& model, RunInputs& run);
using AnyReport = std::variant<FullReport, AnalyzeResult, SavedResult>;
/// What validate, sensitivity and analyze say, from one calibration; written to `options.outputs.file` where that is
/// given: .html, .json or .txt. Of a file of statistics: what analyze says. Of a result in JSON: the same as tables.
Result<AnyReport> ReportVerb(const std::vector<std::string>& models, RunInputs& run);
/// The best of the configurations of `options.search.space` that were tried, written to `options.outputs.file`.
/// Errors: kRequirementNotMet; that of the last trial where none could be made; kCancelled before one was.
Result<SearchResult> SearchVerb(const std::string& model, RunInputs& run);
Result<DoctorResult> DoctorVerb(RunInputs& run);

}  // namespace preon
