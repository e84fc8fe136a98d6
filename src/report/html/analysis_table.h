// The table of all tensors in the page of an analysis.
#pragma once

#include <string>

#include "analyze/analysis.h"

namespace preon {

/// Sortable; the worst first: by shift where there is production, else by outliers.
std::string AnalysisTable(const Analysis& analysis);

}  // namespace preon
