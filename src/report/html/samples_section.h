// What single samples and groups of them do, in the page of an analysis.
#pragma once

#include <string>
#include <vector>

#include "analyze/analysis.h"
#include "report/html/layer_chart.h"

namespace preon {

/// Curves over the layers: convergence, and strata where there are groups. Empty without facts per sample.
std::vector<LayerChart> SampleCharts(const Analysis& analysis);

/// The curve over the number of samples, and tables of samples and groups; without facts per sample how to get them.
std::string SamplesSection(const Analysis& analysis);

/// Who gave the ends of a tensor's range, as rows of its card.
std::string DriverRows(const Analysis& analysis, size_t layer);

}  // namespace preon
