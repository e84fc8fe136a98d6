// Results as text for people.
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

/// Lines that end with a line feed, at most 100 columns where names allow it.
std::string ToText(const QuantizeResult& result);
std::string ToText(const CalibrateResult& result);
std::string ToText(const InstrumentResult& result);
std::string ToText(const MergeResult& result);
std::string ToText(const PassesResult& result);
std::string ToText(const RangesResult& result);
std::string ToText(const AnalyzeResult& result);
std::string ToText(const ModelSummary& result);
std::string ToText(const CalibSummary& result);
std::string ToText(const RunResult& result);
std::string ToText(const CompareResult& result);
std::string ToText(const LintResult& result);
std::string ToText(const DiffResult& result);
std::string ToText(const RetargetResult& result);
std::string ToText(const ExportResult& result);
std::string ToText(const CryptResult& result);
std::string ToText(const CryptoRunResult& result);
std::string ToText(const SensitivityResult& result);
std::string ToText(const ValidateResult& result);
std::string ToText(const SearchResult& result);
std::string ToText(const FullReport& result);
std::string ToText(const SavedResult& result);
std::string ToText(const DoctorResult& result);

}  // namespace preon
