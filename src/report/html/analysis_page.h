// The page of an analysis: one file that loads nothing, for any browser.
#pragma once

#include <string>

#include "report/results/results.h"

namespace preon {

/// Summary, curves over the layers, a sortable table and a card per tensor. Nothing in it depends on times or paths of
/// the run but the names of the files read.
std::string AnalysisPage(const AnalyzeResult& result);
/// The same by the name that StageReport calls.
inline std::string ReportPage(const AnalyzeResult& result) { return AnalysisPage(result); }

}  // namespace preon
