// --report FILE.html: a result as a page, one file that loads nothing, for any browser.
#pragma once

#include <string>

#include "report/results/results.h"

namespace preon {

/// What was quantized and what stays float and why, candidates, error, latency, time.
std::string ReportPage(const QuantizeResult& result);
/// Error, accuracy, latency, time.
std::string ReportPage(const CompareResult& result);

}  // namespace preon
