// The page of `report`.
#pragma once

#include <string>

#include "report/results/full_report.h"

namespace preon {

/// Verdict, figures, layers, causes, samples, histograms, environment, command; the same as JSON in the element `data`.
/// At most 2 MB: histograms that have no room are left out, the tensors with most outliers come first.
std::string ReportPage(const FullReport& report);

}  // namespace preon
