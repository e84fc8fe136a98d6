// LayerBars: the layers of a model in the order of the graph, with bars for error and time.
#pragma once

#include <string>
#include <vector>

#include "report/results/sensitivity_result.h"

namespace preon {

/// A table, each row with its cause and what the layer in float would give.
std::string LayerBars(std::vector<LayerSensitivity> layers);

}  // namespace preon
