// Results as JSON objects, keys in a fixed order.
#pragma once

#include <string>

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

namespace preon {

/// One line without a line feed. Numbers are finite; absent figures are left out.
std::string ToJson(const QuantizeResult& result);
std::string ToJson(const CalibrateResult& result);
std::string ToJson(const InstrumentResult& result);
std::string ToJson(const MergeResult& result);
std::string ToJson(const PassesResult& result);
std::string ToJson(const RangesResult& result);
/// The file of `ranges -o`: as ToJson, without what differs from run to run.
std::string RangesFile(const RangesResult& result);
std::string ToJson(const AnalyzeResult& result);
std::string ToJson(const ModelSummary& result);
std::string ToJson(const CalibSummary& result);
std::string ToJson(const RunResult& result);
std::string ToJson(const CompareResult& result);
std::string ToJson(const LintResult& result);
std::string ToJson(const DiffResult& result);
std::string ToJson(const RetargetResult& result);
std::string ToJson(const ExportResult& result);
std::string ToJson(const CryptResult& result);
std::string ToJson(const CryptoRunResult& result);
std::string ToJson(const SensitivityResult& result);
std::string ToJson(const ValidateResult& result);
std::string ToJson(const SearchResult& result);
std::string ToJson(const FullReport& result);
std::string ToJson(const SavedResult& result);
std::string ToJson(const DoctorResult& result);

}  // namespace preon
