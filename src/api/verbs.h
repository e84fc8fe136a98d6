// One function per verb of the command line: options in, result struct out. No output, no exit.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "pipeline/job.h"
#include "report/results.h"

namespace preon {

Result<QuantizeResult> QuantizeVerb(const std::string& model, Job& job);
Result<CalibrateResult> CalibrateVerb(const std::string& model, Job& job);
/// Writes the model that collects, wherever it is served, what CalibrateVerb would collect of the same samples.
Result<InstrumentResult> InstrumentVerb(const std::string& model, Job& job);
Result<MergeResult> MergeVerb(const std::vector<std::string>& parts, Job& job);
/// Of statistics; with samples, of a model, in one pass. Also writes them as JSON to `options.output` where that is
/// given.
Result<RangesResult> RangesVerb(const std::string& path, Job& job);
/// Also writes a page to `options.html` where that is given.
Result<AnalyzeResult> AnalyzeVerb(const std::string& calib, Job& job);
/// A model, or (name ending in .calib) the statistics of one.
Result<std::variant<ModelSummary, CalibSummary>> InspectVerb(const std::string& path, Job& job);
/// Rewrites a float or quantized model by the passes named in the options, and writes `options.output`.
/// Errors: kUnknownOption; what a pass reports.
Result<PassesResult> PassesVerb(const std::string& model, Job& job);
/// Plain inference of the file as it is: the baseline of the calibration benchmark, so nothing but reading and running.
Result<RunResult> RunVerb(const std::string& model, Job& job);
Result<CompareResult> CompareVerb(const std::string& reference, const std::string& other, Job& job);
Result<DoctorResult> DoctorVerb(Job& job);

}  // namespace preon
