// TensorCard: one tensor's histogram with what every method would keep of it.
#pragma once

#include <string>

#include "analyze/analysis.h"

namespace preon {

/// A block with the id `t<layer>`.
std::string TensorCard(const Analysis& analysis, size_t layer);

/// The same drawing as an SVG file that stands alone, with minimum and maximum, and what the chosen method keeps.
std::string TensorPicture(const TensorAnalysis& tensor);

}  // namespace preon
